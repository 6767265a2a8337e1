import { Job } from '../../generated/types/batch/v1.ts';
import { define } from '../define.ts';

export const job = define(Job);
