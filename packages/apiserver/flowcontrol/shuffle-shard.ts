import { createHash } from 'node:crypto';
import { BoundedMap } from '@kubernode/machinery';

/** A client that makes up flows (namespaces, user names) must not fill the memory with hands of queues. */
const handsMax = 4_096;

/**
 * Deals each flow its hand of queues (KEP-1040, shuffle sharding): two flows seldom share all of their queues, so that
 * a flow that fills its own cannot starve another. The same flow always gets the same hand.
 */
export class Dealer {
  readonly #deckSize: number;
  readonly #handSize: number;
  readonly #hands = new BoundedMap<string, readonly number[]>(handsMax);

  constructor({ deckSize, handSize }: { deckSize: number; handSize: number }) {
    this.#deckSize = deckSize;
    this.#handSize = Math.min(handSize, deckSize);
  }

  /** Indexes of queues, each once. */
  hand(flowSchema: string, distinguisher: string): readonly number[] {
    const flow = `${flowSchema}\0${distinguisher}`;
    const known = this.#hands.get(flow);
    if (known) return known;
    const dealt = deal(createHash('sha256').update(flow).digest().readBigUInt64LE(), this.#deckSize, this.#handSize);
    this.#hands.set(flow, dealt);
    return dealt;
  }
}

/** Draws cards without putting them back, the hash being the source of chance. */
export function deal(hash: bigint, deckSize: number, handSize: number): number[] {
  const remainders: number[] = [];
  let left = hash;
  for (let drawn = 0; drawn < handSize; drawn += 1) {
    const size = BigInt(deckSize - drawn);
    remainders.push(Number(left % size));
    left /= size;
  }
  return remainders.map((remainder, drawn) => {
    let card = remainder;
    for (let earlier = drawn - 1; earlier >= 0; earlier -= 1) if (card >= remainders[earlier]!) card += 1;
    return card;
  });
}
