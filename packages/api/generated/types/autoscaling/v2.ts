// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v2.types.ts';
export type * from './v2.types.ts';

export type HorizontalPodAutoscaler = types.HorizontalPodAutoscaler;
export const HorizontalPodAutoscaler = kind<HorizontalPodAutoscaler>({"group":"autoscaling","version":"v2","kind":"HorizontalPodAutoscaler","plural":"horizontalpodautoscalers","namespaced":true});
