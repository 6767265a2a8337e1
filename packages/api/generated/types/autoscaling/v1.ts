// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type HorizontalPodAutoscaler = types.HorizontalPodAutoscaler;
export const HorizontalPodAutoscaler = kind<HorizontalPodAutoscaler>({"group":"autoscaling","version":"v1","kind":"HorizontalPodAutoscaler","plural":"horizontalpodautoscalers","namespaced":true});
