import { ComponentStatus } from '../../generated/types/core/v1.ts';
import { define } from '../define.ts';

export const componentStatus = define(ComponentStatus);
