export { startCompactor, type CompactorOptions } from './compactor.ts';
export {
  Compacted,
  FutureRevision,
  SlowWatcher,
  StoreClosed,
  StoreFailed,
  StoreFull,
  StoreInUse,
  StoreMissing,
  StoreNotWritable,
  StoreUnusable,
} from './errors.ts';
export { memoryStore, type MemoryStoreOptions } from './memory.ts';
export { openSqliteStore, type SqliteStoreOptions } from './sqlite.ts';
export { boundStore, prefixRange } from './store.ts';
export type { Change, Entry, ListOptions, Page, Range, Revision, Store, StoreEvent, Written } from './store.ts';
