// Generated from the facts by packages/api/generate; never edited.
export type * from './v1.types.ts';
