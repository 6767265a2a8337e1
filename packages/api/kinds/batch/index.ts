import { registry } from '../define.ts';
import { cronJob } from './cron-job.ts';
import { job } from './job.ts';

export const batchKinds = registry(cronJob, job);
