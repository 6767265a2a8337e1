export { Compacted, FutureRevision, SlowWatcher, StoreClosed } from './errors.ts';
export { memoryStore, type MemoryStoreOptions } from './memory.ts';
export { prefixRange } from './store.ts';
export type { Change, Entry, ListOptions, Page, Range, Revision, Store, StoreEvent, Written } from './store.ts';
