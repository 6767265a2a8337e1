import { PodDisruptionBudget } from '../../generated/types/policy/v1.ts';
import { define } from '../define.ts';

export const podDisruptionBudget = define(PodDisruptionBudget);
