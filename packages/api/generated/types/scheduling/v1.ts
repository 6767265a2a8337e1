// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type PriorityClass = types.PriorityClass;
export const PriorityClass = kind<PriorityClass>({"group":"scheduling.k8s.io","version":"v1","kind":"PriorityClass","plural":"priorityclasses","namespaced":false});
