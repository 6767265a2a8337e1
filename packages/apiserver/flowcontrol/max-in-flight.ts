import { unlimited, type Entering, type FlowControl, type Seat } from './flow-control.ts';
import { isLongRunning } from './long-running.ts';
import { TurnEnd } from '../turn-end.ts';

const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/**
 * Without priority and fairness: so many requests at a time that read, and so many that write; 0 is no limit. Those who
 * administer the cluster are always answered.
 */
export class MaxInFlight implements FlowControl {
  readonly #limits: { readonly reads: number; readonly writes: number };
  readonly #inFlight = { reads: 0, writes: 0 };
  /** Seats are given back then: requests that are answered at once would never meet, and a limit would limit nothing. */
  readonly #turnEnd = new TurnEnd();

  constructor(limits: { readonly reads: number; readonly writes: number }) {
    this.#limits = limits;
  }

  admit({ attributes, user, isOutside }: Entering): Seat {
    const kind = readVerbs.has(attributes.verb) ? 'reads' : 'writes';
    if (this.#limits[kind] === 0 || isLongRunning(attributes)) return unlimited;
    if (this.#inFlight[kind] >= this.#limits[kind]) {
      return user.groups.includes('system:masters') ? unlimited : refused;
    }
    this.#inFlight[kind] += 1;
    let isReleased = false;
    const free = () => void (this.#inFlight[kind] -= 1);
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      if (isOutside) this.#turnEnd.after(free);
      else free();
    };
    return { headers: {}, release };
  }

  watching(): () => void {
    return () => {};
  }

  dump(): undefined {
    return undefined;
  }

  stop(): void {}
}

const refused: Seat = { headers: {}, retryAfterSeconds: 1, release() {} };
