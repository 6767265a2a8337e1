import { PriorityLevelConfiguration } from '../../generated/types/flowcontrol/v1.ts';
import { define } from '../define.ts';

export const priorityLevelConfiguration = define(PriorityLevelConfiguration);
