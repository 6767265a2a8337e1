import { HorizontalPodAutoscaler } from '../../generated/types/autoscaling/v2.ts';
import { HorizontalPodAutoscaler as HorizontalPodAutoscalerv1 } from '../../generated/types/autoscaling/v1.ts';
import { defineVersions } from '../define.ts';

export const horizontalPodAutoscaler = defineVersions([HorizontalPodAutoscaler, HorizontalPodAutoscalerv1]);
