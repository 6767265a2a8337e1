import { dns1123Label, parseTime, shortHumanDuration } from '@kubernode/machinery';
import { Job, type JobSpec } from '../../generated/types/batch/v1.ts';
import { invalid, required as requiredCause } from '../../rules/cause.ts';
import { podTemplateDefaults } from '../../rules/pod/defaults.ts';
import { jobSpec } from '../../rules/job/spec.ts';
import { all, fields, type Rule, validate } from '../../rules/rule.ts';
import type { Container } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { labelSelector, matchesLabels } from '../../rules/selector.ts';
import { immutable, semanticallyEqual } from '../../rules/values.ts';
import { jobWarnings } from '../../rules/job/warnings.ts';
import { hostnameWarnings } from '../../rules/workload/workload-warnings.ts';
import type { Cell } from '../../cell.ts';
import { age, containerCells, selectorCell } from '../cells.ts';
import { define } from '../define.ts';
import { jobStatusUpdate } from '../../rules/job/status.ts';

const domain = 'batch.kubernetes.io';

/** Labels that pods of a generated selector have: under their old names, and under the domain's. */
const labelNames = {
  uid: ['controller-uid', `${domain}/controller-uid`],
  name: ['job-name', `${domain}/job-name`],
} as const;

/** What the server selects pods by: their job's uid. Nobody may have put other labels in its place. */
const generatedSelector: Rule<Job> = ({ metadata, spec }, _, old) => {
  if (spec.manualSelector || !spec.selector || old) return [];
  const uid = metadata.uid || '';
  const name = metadata.name || '';
  const at = 'spec.template.metadata';
  const labels = spec.template.metadata.labels ?? {};
  const expected: Record<string, string> = {
    ...Object.fromEntries(labelNames.uid.map((key) => [key, uid])),
    ...Object.fromEntries(labelNames.name.map((key) => [key, name])),
  };
  const found = Object.entries(expected).flatMap(([key, value]) => {
    if (labels[key] === undefined) return [requiredCause(`${at}.labels`, `must be '${value}'`)];
    return labels[key] === value ? [] : [invalid(`${at}.labels`, labels, `must be '${value}'`)];
  });
  if (labelSelector(spec.selector, '').length > 0 || matchesLabels(spec.selector, expected)) return found;
  return [...found, invalid('spec.selector', spec.selector, '`selector` not auto-generated')];
};

/** Pods of an indexed job are named after it and their index, which must do for a host. */
const hostsOfIndexes: Rule<Job> = ({ metadata, spec: { completionMode, completions = 0 } }) => {
  const name = metadata.name || '';
  if (completionMode !== 'Indexed' || completions <= 0) return [];
  const last = `${name}-${completions - 1}`;
  return dns1123Label(last).length === 0
    ? []
    : [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${last}`)];
};

const selector: Rule<JobSpec> = ({ selector: wanted, template }, path) => {
  const at = `${path}.template.metadata.labels`;
  const labels = template.metadata.labels;
  const mismatch = invalid(at, labels, '`selector` does not match template `labels`');
  // What is absent selects nothing.
  if (!wanted) return [requiredCause(`${path}.selector`), mismatch];
  const found = labelSelector(wanted, `${path}.selector`);
  if (found.length > 0 || matchesLabels(wanted, labels)) return found;
  return [mismatch];
};

/** Completions of an indexed job may change, together with its parallelism. */
const completions: Rule<JobSpec> = (spec, path, old) => {
  if (!old || spec.completions === old.completions) return [];
  const at = `${path}.completions`;
  if (spec.completionMode !== 'Indexed') return [invalid(at, spec.completions, 'field is immutable')];
  if (spec.completions === undefined || spec.completions === spec.parallelism) return [];
  return [invalid(at, spec.completions, 'can only be modified in tandem with spec.parallelism')];
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
);

/** The template of a suspended job without pods may still ask for other resources and be scheduled elsewhere. */
function templateUpdate(job: Job, old: Job): readonly FieldCause[] {
  const { template } = job.spec;
  const { suspend, template: before } = old.spec;
  const { startTime, conditions, active = 0 } = old.status;
  const isSuspended = conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True') ?? false;
  if (!suspend || (startTime !== undefined && !isSuspended) || active > 0) {
    return semanticallyEqual(template, before) ? [] : [invalid('spec.template', template, 'field is immutable')];
  }
  const { nodeSelector, tolerations, schedulingGates } = template.spec;
  const kept = { ...before.spec, nodeSelector, tolerations, schedulingGates };
  const affinity = withNodeAffinity(before.spec.affinity, template.spec.affinity);
  const expected = {
    ...kept,
    affinity,
    containers: withResources(before.spec.containers, template.spec.containers),
    initContainers: withResources(before.spec.initContainers, template.spec.initContainers),
  };
  return semanticallyEqual(template.spec, expected)
    ? []
    : [invalid('spec.template.spec', template.spec, 'field is immutable')];
}

type Affinity = Job['spec']['template']['spec']['affinity'];

function withNodeAffinity(before: Affinity, after: Affinity): Affinity {
  const { nodeAffinity: _, ...others } = before ?? {};
  const nodeAffinity = after?.nodeAffinity;
  if (!after && Object.keys(others).length === 0) return undefined;
  return nodeAffinity ? { ...others, nodeAffinity } : others;
}

function withResources(before: Container[] = [], after: Container[] = []): Container[] {
  if (before.length !== after.length) return before;
  return before.map((one, index) => {
    const next = after[index] as Container;
    return next.name === one.name ? { ...one, resources: next.resources } : one;
  });
}

export const job = define(Job, {
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
    // One and the same map, as upstream: what is put into the one is in the other.
    if (labels && !metadata.labels) metadata.labels = labels;
    podTemplateDefaults(spec.template);
  },
  /** Its pods are told apart by its uid, unless the user takes care of that. */
  prepareForCreate({ metadata, spec }) {
    if (spec.manualSelector) return;
    const uid = metadata.uid ?? '';
    const name = metadata.name ?? '';
    const given = spec.template.metadata.labels;
    const labels = { ...given };
    for (const key of labelNames.name) labels[key] ??= name;
    for (const key of labelNames.uid) labels[key] ??= uid;
    spec.template.metadata.labels = labels;
    // The job's own labels default to the template's, these included, unless a generated name parted the two.
    if (!metadata.labels || metadata.labels === given) metadata.labels = { ...labels };
    spec.selector ??= {};
    const chosen = spec.selector.matchLabels ?? {};
    if (!(`${domain}/controller-uid` in chosen))
      spec.selector.matchLabels = { ...chosen, [`${domain}/controller-uid`]: uid };
  },
  validate: validate<Job>(fields<Job>({ spec: all<JobSpec>(jobSpec, selector) }), hostsOfIndexes),
  validateCreate: validate<Job>(generatedSelector),
  validateUpdate: (object, old) => [
    ...fields<Job>({ spec: specUpdate })(object, '', old),
    ...templateUpdate(object, old),
  ],
  validateStatusUpdate: jobStatusUpdate,
  warnings: (object, old) => {
    const named = old ? [] : hostnameWarnings(object.metadata.name);
    const isSame = old && object.metadata.generation === old.metadata.generation;
    return isSame ? named : [...named, ...jobWarnings(object.spec, 'spec')];
  },
  selectableFields: { 'status.successful': (object) => String(object.status.succeeded ?? 0) },
  row: (object) => [
    object.metadata.name,
    statusCell(object),
    completionsCell(object),
    durationCell(object),
    age(object),
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

function durationCell({ status: now }: Job): Cell {
  const start = parseTime(now.startTime);
  if (start === undefined) return '';
  const end = parseTime(now.completionTime);
  return end === undefined ? (nowMs) => shortHumanDuration(nowMs - start) : shortHumanDuration(end - start);
}
