import { registry } from '../define.ts';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';

export const autoscalingKinds = registry(horizontalPodAutoscaler);
