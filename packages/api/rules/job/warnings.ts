import type { JobSpec } from '../../generated/types/batch/v1.ts';
import { podTemplateWarnings } from '../pod/warnings.ts';

const completionsMax = 100_000;
const parallelismMax = 10_000;

/** Warnings about a Job's spec, its pods included. */
export function jobWarnings(spec: JobSpec, path: string): readonly string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec;
  const isMuch = completionMode === 'Indexed' && completions > completionsMax && parallelism > parallelismMax;
  const much =
    'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ' +
    'Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
  return [...(isMuch ? [`${path}: ${much}`] : []), ...podTemplateWarnings(template, `${path}.template`)];
}
