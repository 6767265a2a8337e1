export { prefixRange } from './store.ts';
export type { Change, Entry, ListOptions, Page, Range, Revision, Store, StoreEvent, Written } from './store.ts';
