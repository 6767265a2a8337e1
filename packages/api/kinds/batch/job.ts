import { deepEqual, labelValue, parseTime, shortHumanDuration } from '@kubernode/machinery';
import { Job, type JobSpec, type JobStatus } from '../../generated/types/batch/v1.ts';
import { subdomainName } from '../../rules/names.ts';
import { invalid, required as requiredCause } from '../../rules/cause.ts';
import { podTemplateDefaults } from '../../rules/pod/defaults.ts';
import { jobSpec } from '../../rules/job/spec.ts';
import { all, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { labelSelector, matchesLabels } from '../../rules/selector.ts';
import { immutable, sameValue } from '../../rules/values.ts';
import { counts, noMoreThan } from '../../rules/workload.ts';
import { jobWarnings } from '../../rules/job/warnings.ts';
import { hostnameWarnings } from '../../rules/workload-warnings.ts';
import { age, containerCells, selectorCell } from '../cells.ts';
import { define } from '../define.ts';
import { indexesOf } from '../../rules/job/indexes.ts';

const domain = 'batch.kubernetes.io';

const selector: Rule<JobSpec> = ({ selector: wanted, template }, path) => {
  if (!wanted) return [requiredCause(`${path}.selector`)];
  const labels = template.metadata.labels;
  const found = labelSelector(wanted, `${path}.selector`);
  if (found.length > 0 || matchesLabels(wanted, labels)) return found;
  return [invalid(`${path}.template.metadata.labels`, labels, '`selector` does not match template `labels`')];
};

/** Completions of an indexed job may change, together with its parallelism. */
const completions: Rule<JobSpec> = (spec, path, old) => {
  if (!old || sameValue(spec.completions, old.completions)) return [];
  const isElastic =
    spec.completionMode === 'Indexed' && spec.completions === spec.parallelism && old.completions === old.parallelism;
  return isElastic ? [] : [invalid(`${path}.completions`, spec.completions, 'field is immutable')];
};

/** The template of a job that has not started yet may still be scheduled elsewhere. */
const template: Rule<JobSpec> = (spec, path, old) => {
  if (!old) return [];
  const keep = (from: JobSpec) => {
    const { affinity: _a, nodeSelector: _n, tolerations: _t, schedulingGates: _g, ...rest } = from.template.spec;
    return old.suspend
      ? {
          ...from.template.spec,
          ...rest,
          nodeSelector: undefined,
          affinity: undefined,
          tolerations: undefined,
          schedulingGates: undefined,
        }
      : from.template.spec;
  };
  return sameValue(keep(spec), keep(old)) ? [] : [invalid(`${path}.template`, spec.template, 'field is immutable')];
};

const specUpdate = all<JobSpec>(
  fields<JobSpec>({
    selector: immutable,
    podFailurePolicy: immutable,
    completionMode: immutable,
    backoffLimitPerIndex: immutable,
    managedBy: immutable,
    successPolicy: immutable,
  }),
  completions,
  template,
);

const status = all<JobStatus>(
  counts<JobStatus>('active', 'succeeded', 'failed', 'ready', 'terminating'),
  noMoreThan<JobStatus>('ready', 'active'),
);

const indexes = ({ spec, status: now }: Job) =>
  (['completedIndexes', 'failedIndexes'] as const).flatMap((name) => {
    const text = now[name];
    if (!text || spec.completionMode !== 'Indexed') return [];
    const { error } = indexesOf(text, spec.completions ?? 0);
    return error ? [invalid(`status.${name}`, text, `error parsing ${name}: ${error}`)] : [];
  });

export const job = define(Job, {
  validateName: (name, isPrefix) => [...subdomainName(name, isPrefix), ...(isPrefix ? [] : labelValue(name))],
  defaults({ metadata, spec }) {
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
    spec.completionMode ??= 'NonIndexed';
    spec.suspend ??= false;
    spec.manualSelector ??= false;
    spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
    for (const rule of spec.podFailurePolicy?.rules ?? []) {
      for (const condition of rule.onPodConditions ?? []) condition.status ||= 'True';
    }
    const { labels } = spec.template.metadata;
    if (labels && !metadata.labels) metadata.labels = { ...labels };
    podTemplateDefaults(spec.template);
  },
  /** Its pods are told apart by its uid, unless the user takes care of that. */
  prepareForCreate({ metadata, spec }) {
    if (spec.manualSelector) return;
    const uid = metadata.uid ?? '';
    const name = metadata.name ?? '';
    const labels = {
      'controller-uid': uid,
      'job-name': name,
      [`${domain}/controller-uid`]: uid,
      [`${domain}/job-name`]: name,
    };
    const given = spec.template.metadata.labels;
    spec.template.metadata.labels = { ...given, ...labels };
    // The job's own labels default to the template's, these included.
    if (!metadata.labels || deepEqual(metadata.labels, given)) metadata.labels = { ...spec.template.metadata.labels };
    spec.selector ??= {};
    const chosen = spec.selector.matchLabels ?? {};
    if (!(`${domain}/controller-uid` in chosen))
      spec.selector.matchLabels = { ...chosen, [`${domain}/controller-uid`]: uid };
  },
  validate: validate<Job>(fields<Job>({ spec: all<JobSpec>(jobSpec, selector) })),
  validateUpdate: validateUpdate<Job>(fields<Job>({ spec: specUpdate })),
  validateStatusUpdate: (object, old) => [...fields<Job>({ status })(object, '', old), ...indexes(object)],
  warnings: (object, old) => {
    const named = old ? [] : hostnameWarnings(object.metadata.name);
    const isSame = old && object.metadata.generation === old.metadata.generation;
    return isSame ? named : [...named, ...jobWarnings(object.spec, 'spec')];
  },
  selectableFields: { 'status.successful': (object) => String(object.status.succeeded ?? 0) },
  row: (object, nowMs) => [
    object.metadata.name,
    statusCell(object),
    completionsCell(object),
    durationCell(object, nowMs),
    age(object, nowMs),
    ...containerCells(object.spec.template),
    selectorCell(object.spec.selector),
  ],
});

function statusCell({ metadata, status: now }: Job): string {
  const has = (type: string) =>
    now.conditions?.some((condition) => condition.type === type && condition.status === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (metadata.deletionTimestamp) return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  if (has('FailureTarget')) return 'FailureTarget';
  return has('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completionsCell({ spec, status: now }: Job): string {
  const succeeded = now.succeeded ?? 0;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell({ status: now }: Job, nowMs: number): string {
  const start = parseTime(now.startTime);
  if (start === undefined) return '';
  return shortHumanDuration((parseTime(now.completionTime) ?? nowMs) - start);
}
