/** What a store refuses; callers tell the cases apart by class. */

/** The revision asked for is older than the last compaction (etcd: "required revision has been compacted"). */
export class Compacted extends Error {
  readonly requested: number;
  /** The oldest revision that can still be read. */
  readonly compacted: number;

  constructor(requested: number, compacted: number) {
    super(`revision ${requested} has been compacted: the oldest that can be read is ${compacted}`);
    this.name = 'Compacted';
    this.requested = requested;
    this.compacted = compacted;
  }
}

/** The revision asked for has not been written yet (etcd: "required revision is a future revision"). */
export class FutureRevision extends Error {
  readonly requested: number;
  readonly current: number;

  constructor(requested: number, current: number) {
    super(`revision ${requested} is in the future: the newest is ${current}`);
    this.name = 'FutureRevision';
    this.requested = requested;
    this.current = current;
  }
}

/** A watcher did not read its events fast enough, so it was dropped instead of holding up writers or memory. */
export class SlowWatcher extends Error {
  readonly from: string;
  readonly queued: number;

  constructor(from: string, queued: number) {
    super(`watcher of "${from}" fell behind by ${queued} events and was dropped: list and watch again`);
    this.name = 'SlowWatcher';
    this.from = from;
    this.queued = queued;
  }
}

/** The store was closed, or closes while the call is under way; whether a write under way was made is then unknown. */
export class StoreClosed extends Error {
  constructor() {
    super('the store is closed');
    this.name = 'StoreClosed';
  }
}
