/** What can be in an `IntrusiveSet`: it knows its place there. In one such set at a time. */
export interface Placed {
  /** -1 where it is in none. */
  place: number;
}

/**
 * A set of what comes and goes often, in no order. A `Set` would make a new table whenever so many have come and gone, and
 * each table leads to the next: once one of them is old, all that is in those after it lives until the whole heap is collected.
 */
export class IntrusiveSet<Member extends Placed> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: Member): void {
    if (this.#has(member)) return;
    member.place = this.#members.push(member) - 1;
  }

  /** The last one takes its place. */
  delete(member: Member): void {
    if (!this.#has(member)) return;
    const last = this.#members.pop()!;
    if (last !== member) {
      this.#members[member.place] = last;
      last.place = member.place;
    }
    member.place = -1;
  }

  /** Those that are there now, whatever comes and goes meanwhile. */
  [Symbol.iterator](): IterableIterator<Member> {
    return this.#members.slice().values();
  }

  #has(member: Member): boolean {
    // Asking a list for its item -1 is slow.
    return member.place >= 0 && this.#members[member.place] === member;
  }
}
