import { registry } from '../define.ts';
import { podDisruptionBudget } from './pod-disruption-budget.ts';

export const policyKinds = registry(podDisruptionBudget);
