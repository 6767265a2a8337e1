import { PriorityClass } from '../../generated/types/scheduling/v1.ts';
import { define } from '../define.ts';

export const priorityClass = define(PriorityClass);
