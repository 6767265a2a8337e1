// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type PodDisruptionBudget = types.PodDisruptionBudget;
export const PodDisruptionBudget = kind<PodDisruptionBudget>({"group":"policy","version":"v1","kind":"PodDisruptionBudget","plural":"poddisruptionbudgets","namespaced":true});
