import { Eviction } from '../../generated/types/lifecycle/v1alpha1.ts';
import { define } from '../define.ts';

export const eviction = define(Eviction);
