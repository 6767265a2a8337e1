// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type CronJob = types.CronJob;
export const CronJob = kind<CronJob>({"group":"batch","version":"v1","kind":"CronJob","plural":"cronjobs","namespaced":true});
export type Job = types.Job;
export const Job = kind<Job>({"group":"batch","version":"v1","kind":"Job","plural":"jobs","namespaced":true});
