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

/** The database cannot be opened: damaged, newer than this program, or not ours. The message says what to do. */
export class StoreUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreUnusable';
  }
}

/** Another process has the database open. */
export class StoreInUse extends Error {
  readonly pid: number | undefined;

  constructor(path: string, pid: number | undefined) {
    const who = pid === undefined ? 'another process' : `process ${pid}`;
    super(`open "${path}": in use by ${who}: stop it first, or choose another data directory`);
    this.name = 'StoreInUse';
    this.pid = pid;
  }
}

/**
 * A write was not made, for it could not be put on the disk. Reads go on; writes work again, without a restart, once
 * what is wrong is mended.
 */
export class StoreNotWritable extends Error {
  /** What is wrong and what to do, without the path: for those who need not know it. */
  readonly why: string;

  constructor(path: string, why: string, options?: ErrorOptions) {
    super(`write to "${path}": ${why}`, options);
    this.name = 'StoreNotWritable';
    this.why = why;
  }
}

export class StoreFull extends StoreNotWritable {
  constructor(path: string) {
    super(path, 'the disk is full: free some space, then writes work again without a restart');
    this.name = 'StoreFull';
  }
}

/** The files are not where they were, or others are: what would be written now, nobody would find again. */
export class StoreMissing extends StoreNotWritable {
  constructor(path: string, file: string) {
    const what = `the database's file "${file}" was taken away or replaced while in use`;
    super(path, `${what}: put it back as it was, or stop the server and restore a backup`);
    this.name = 'StoreMissing';
  }
}

/** The database could not do what was asked. */
export class StoreFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreFailed';
  }
}
