export { createClient, pathOf } from './client.ts';
export type { Client, ListOptions, Patch, Target, WatchOptions, WriteOptions } from './client.ts';
export type { Informer, InformerChange, InformerFactory, InformerScope } from './informer.ts';
export type { WorkQueue } from './work-queue.ts';
