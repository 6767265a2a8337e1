// Generated from the facts by packages/api/generate; never edited.
export type * from './v1beta1.types.ts';
