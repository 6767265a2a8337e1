// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type Event = types.Event;
export const Event = kind<Event>({"group":"events.k8s.io","version":"v1","kind":"Event","plural":"events","namespaced":true});
