import { CronJob, type CronJobSpec, type JobTemplateSpec } from '../../generated/types/batch/v1.ts';
import { invalid, notSupported } from '../../rules/cause.ts';
import { jobSpec } from '../../rules/job/spec.ts';
import { subdomainName } from '../../rules/names.ts';
import { podTemplateDefaults } from '../../rules/pod/defaults.ts';
import { all, fields, type Rule, validate } from '../../rules/rule.ts';
import { nonNegative, oneOf, required } from '../../rules/values.ts';
import { jobWarnings } from '../../rules/job/warnings.ts';
import { hostnameWarnings } from '../../rules/workload/workload-warnings.ts';
import { age, ageCell, containerCells, noneCell, selectorCell, unsetCell } from '../cells.ts';
import { define } from '../define.ts';
import { scheduleError } from '../../rules/cron.ts';

/** Its jobs' names get a suffix of eleven characters. */
const nameBytesMax = 52;

const schedule: Rule<string> = (value, path) => {
  const error = scheduleError(value);
  if (error) return [invalid(path, value, error)];
  return /^(CRON_)?TZ=/.test(value)
    ? [invalid(path, value, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')]
    : [];
};

const timeZone: Rule<string> = (value, path) => {
  if (value === '') return [invalid(path, value, 'timeZone must be nil or non-empty string')];
  if (value.toLowerCase() === 'local')
    return [
      invalid(path, value, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'),
    ];
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return [];
  } catch {
    return [invalid(path, value, `unknown time zone ${value}`)];
  }
};

const noManualSelector: Rule<JobTemplateSpec> = ({ spec }, path) =>
  spec.manualSelector ? [notSupported(`${path}.spec.manualSelector`, true, ['nil', 'false'])] : [];

const chosenSelector: Rule<JobTemplateSpec> = ({ spec }, path) =>
  spec.selector ? [invalid(`${path}.spec.selector`, spec.selector, '`selector` will be auto-generated')] : [];

const spec = fields<CronJobSpec>({
  schedule: [required, schedule],
  timeZone,
  startingDeadlineSeconds: nonNegative,
  concurrencyPolicy: oneOf('Allow', 'Forbid', 'Replace'),
  successfulJobsHistoryLimit: nonNegative,
  failedJobsHistoryLimit: nonNegative,
  jobTemplate: all<JobTemplateSpec>(fields<JobTemplateSpec>({ spec: jobSpec }), noManualSelector, chosenSelector),
});

const zoneInSchedule =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

export const cronJob = define(CronJob, {
  plainFinalizers: 'in-status',
  validateName: (name, isPrefix) => {
    const tooLong = !isPrefix && name.length > nameBytesMax ? [`must be no more than ${nameBytesMax} characters`] : [];
    return [...subdomainName(name, isPrefix), ...tooLong];
  },
  defaults({ spec: wanted }) {
    wanted.concurrencyPolicy ||= 'Allow';
    wanted.suspend ??= false;
    wanted.successfulJobsHistoryLimit ??= 3;
    wanted.failedJobsHistoryLimit ??= 1;
    podTemplateDefaults(wanted.jobTemplate.spec.template);
  },
  validate: validate<CronJob>(fields<CronJob>({ spec })),
  warnings(object, old) {
    const { jobTemplate, schedule: text } = object.spec;
    const named = old ? [] : hostnameWarnings(object.metadata.name);
    const isSame = old && object.metadata.generation === old.metadata.generation;
    const found = isSame ? named : [...named, ...jobWarnings(jobTemplate.spec, 'spec.jobTemplate.spec')];
    return old && text.includes('TZ') ? [...found, zoneInSchedule] : found;
  },
  row: (object) => [
    object.metadata.name,
    object.spec.schedule,
    object.spec.timeZone ?? noneCell,
    object.spec.suspend === undefined ? unsetCell : object.spec.suspend ? 'True' : 'False',
    object.status.active?.length ?? 0,
    object.status.lastScheduleTime ? ageCell(object.status.lastScheduleTime) : noneCell,
    age(object),
    ...containerCells(object.spec.jobTemplate.spec.template),
    selectorCell(object.spec.jobTemplate.spec.selector),
  ],
});
