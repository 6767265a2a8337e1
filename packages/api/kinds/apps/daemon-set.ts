import { deepEqual } from '@kubernode/machinery';
import { DaemonSet, type DaemonSetSpec, type DaemonSetStatus } from '../../generated/types/apps/v1.ts';
import { invalid, notSupported, required as requiredCause } from '../../rules/cause.ts';
import { podTemplateDefaults } from '../../rules/pod/defaults.ts';
import { podTemplateWarnings } from '../../rules/pod/warnings.ts';
import { podTemplate } from '../../rules/pod/spec.ts';
import { all, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { labelSelector, nonEmptySelector, selectedTemplate } from '../../rules/selector.ts';
import { immutable, nonNegative } from '../../rules/values.ts';
import { atMostAll, counts, intOrPercent, isNone, notLowered } from '../../rules/workload/workload.ts';
import { age, containerCells, labelsCell, selectorCell } from '../cells.ts';
import { define } from '../define.ts';

const templateGeneration = 'deprecated.daemonset.template.generation';

const updateStrategy: Rule<DaemonSetSpec['updateStrategy']> = ({ type, rollingUpdate }, path) => {
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return [notSupported(path, { type }, ['OnDelete', 'RollingUpdate'])];
  const at = `${path}.rollingUpdate`;
  if (!rollingUpdate) return [requiredCause(at)];
  const { maxSurge, maxUnavailable } = rollingUpdate;
  const found = [...bounds(rollingUpdate, at)];
  const surges = !isNone(maxSurge);
  const isUnavailable = !isNone(maxUnavailable);
  if (surges && isUnavailable) {
    found.push(invalid(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  }
  if (!surges && !isUnavailable) found.push(requiredCause(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  return found;
};

const bounds = fields<NonNullable<DaemonSetSpec['updateStrategy']['rollingUpdate']>>({
  maxSurge: all(intOrPercent, atMostAll),
  maxUnavailable: all(intOrPercent, atMostAll),
});

const spec = all<DaemonSetSpec>(
  fields<DaemonSetSpec>({
    selector: all(labelSelector, nonEmptySelector('empty selector is invalid for daemonset')),
    updateStrategy,
    minReadySeconds: nonNegative,
    revisionHistoryLimit: nonNegative,
  }),
  selectedTemplate<DaemonSetSpec>(podTemplate({ only: 'Always' }), { isIndependent: true }),
);

const status = all<DaemonSetStatus>(
  counts<DaemonSetStatus>(
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ),
  notLowered<DaemonSetStatus>('collisionCount'),
);

/** The deprecated field that v1 only shows as an annotation, which is always there. */
const generationIn = (annotations: Readonly<Record<string, string>> = {}) =>
  String(Math.trunc(Number(annotations[templateGeneration] ?? 0)) || 0);

export const daemonSet = define(DaemonSet, {
  defaults({ metadata, spec: wanted }) {
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: generationIn(metadata.annotations) };
    wanted.updateStrategy.type ||= 'RollingUpdate';
    if (wanted.updateStrategy.type === 'RollingUpdate') {
      wanted.updateStrategy.rollingUpdate ??= {};
      wanted.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
      wanted.updateStrategy.rollingUpdate.maxSurge ??= 0;
    }
    // What is there at all is written in full.
    const { rollingUpdate } = wanted.updateStrategy;
    if (rollingUpdate) {
      rollingUpdate.maxUnavailable ??= 0;
      rollingUpdate.maxSurge ??= 0;
    }
    wanted.revisionHistoryLimit ??= 10;
    podTemplateDefaults(wanted.template);
  },
  prepareForCreate({ metadata }) {
    const generation = Math.max(1, Number(generationIn(metadata.annotations)));
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation) };
  },
  prepareForUpdate({ metadata, spec: wanted }, old) {
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 1);
    const after = deepEqual(wanted.template, old.spec.template) ? before : before + 1;
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(after) };
  },
  /** The annotation is a field of the spec in disguise. */
  prepareForStatusUpdate({ metadata }, old) {
    const before = generationIn(old.metadata.annotations);
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: before };
  },
  validate: validate<DaemonSet>(fields<DaemonSet>({ spec })),
  validateUpdate: validateUpdate<DaemonSet>(
    fields<DaemonSet>({ spec: fields<DaemonSetSpec>({ selector: immutable }) }),
  ),
  validateStatusUpdate: validateUpdate<DaemonSet>(fields<DaemonSet>({ status })),
  warnings: (object, old) =>
    object.metadata.annotations?.[templateGeneration] === old?.metadata.annotations?.[templateGeneration] && old
      ? []
      : podTemplateWarnings(object.spec.template, 'spec.template'),
  row: (object) => [
    object.metadata.name,
    object.status.desiredNumberScheduled,
    object.status.currentNumberScheduled,
    object.status.numberReady,
    object.status.updatedNumberScheduled ?? 0,
    object.status.numberAvailable ?? 0,
    labelsCell(object.spec.template.spec.nodeSelector),
    age(object),
    ...containerCells(object.spec.template),
    selectorCell(object.spec.selector),
  ],
});
