import { preciseNow, type Clock } from '@kubernode/machinery';

/** Somebody who stands in line. */
export interface Turn {
  /** It is their turn. Never throws. */
  take(): void;
}

/** A round that takes longer lets requests pass in between. */
const spellMsMax = 10;
/** After a round the thread is left to requests for so many times what the round took, but not longer than this. */
const restPerRound = 2;
/** Of each turn something is done later: HTTP/2 encrypts what all streams of a connection wrote when they are through. */
const laterMsPerTurn = 0.02;
const restMsMax = 100;

/**
 * One thread serves requests, and tells thousands of watches what changed. Those that have something to send stand in
 * line here, and have their turns in rounds. After a round comes a rest in proportion to it: writers go on meanwhile,
 * readers can read, and the next round tells several changes at once, which costs hardly more than one. A round of a few
 * watches takes less than can be rested.
 */
export class Turns {
  readonly #clock: Clock;
  /** Those whose round it is, and those of the next one. */
  #round: readonly Turn[] = [];
  #next: Turn[] = [];
  #served = 0;
  #tookMs = 0;
  #isPlanned = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes its turn later, when requests that came before were looked at. */
  wait(turn: Turn): void {
    this.#next.push(turn);
    if (!this.#isPlanned) this.#plan(0);
  }

  #plan(restMs: number): void {
    this.#isPlanned = true;
    if (restMs > 0) this.#clock.after(Math.min(restMs, restMsMax), this.#begin);
    else setImmediate(this.#begin);
  }

  readonly #begin = (): void => {
    this.#round = this.#next;
    this.#next = [];
    this.#served = 0;
    this.#tookMs = 0;
    this.#serve();
  };

  readonly #serve = (): void => {
    const startMs = preciseNow(this.#clock);
    let spellMs = 0;
    for (; this.#served < this.#round.length && spellMs < spellMsMax; this.#served += 1) {
      this.#take(this.#round[this.#served]!);
      spellMs = preciseNow(this.#clock) - startMs;
    }
    this.#tookMs += spellMs;
    if (this.#served < this.#round.length) {
      setImmediate(this.#serve);
      return;
    }
    const restMs = Math.floor((this.#tookMs + this.#served * laterMsPerTurn) * restPerRound);
    this.#round = [];
    if (restMs > 0 || this.#next.length > 0) this.#plan(restMs);
    else this.#isPlanned = false;
  };

  /** What goes wrong with one must not end the turns of all others: it is thrown where nobody waits for it. */
  #take(turn: Turn): void {
    try {
      turn.take();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
