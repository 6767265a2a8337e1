import { LimitRange } from '../../generated/types/core/v1.ts';
import { define } from '../define.ts';

export const limitRange = define(LimitRange);
