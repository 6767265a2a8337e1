export { startScheduler, type SchedulerOptions } from './scheduler.ts';
