import { dns1123Label } from '@kubernode/machinery';
import { StatefulSet, type StatefulSetSpec, type StatefulSetStatus } from '../../generated/types/apps/v1.ts';
import type { PersistentVolumeClaim, PodTemplateSpec, Volume } from '../../generated/types/core/v1.ts';
import { claimSpec, claimSpecDefaults, claimSpecWarnings } from '../../rules/volumes/claims.ts';
import { workloadWarnings } from '../../rules/workload/workload-warnings.ts';
import { forbidden, invalid } from '../../rules/cause.ts';
import { labelName } from '../../rules/names.ts';
import { podTemplateDefaults } from '../../rules/pod/defaults.ts';
import { podTemplate } from '../../rules/pod/spec.ts';
import { all, each, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { selectedTemplate, workloadSelector } from '../../rules/selector.ts';
import { format, immutable, nonNegative, oneOf, sameValue } from '../../rules/values.ts';
import {
  atMostAll,
  counts,
  intOrPercent,
  isNone,
  noMoreThan,
  notLowered,
  replicaCounts,
} from '../../rules/workload/workload.ts';
import { age, containerCells } from '../cells.ts';
import { define } from '../define.ts';

const onlyThese =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
  "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

const policy: Rule<string> = (value, path) =>
  value === 'OrderedReady' || value === 'Parallel'
    ? []
    : [invalid(path, value, "must be 'OrderedReady' or 'Parallel'")];

const updateStrategy: Rule<StatefulSetSpec['updateStrategy']> = ({ type, rollingUpdate }, path) => {
  const at = `${path}.rollingUpdate`;
  if (type === 'OnDelete') {
    return rollingUpdate ? [invalid(at, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")] : [];
  }
  if (type !== 'RollingUpdate') return [invalid(path, { type }, "must be 'RollingUpdate' or 'OnDelete'")];
  if (!rollingUpdate) return [];
  const found = [...bounds(rollingUpdate, at)];
  const { maxUnavailable } = rollingUpdate;
  if (maxUnavailable !== undefined && isNone(maxUnavailable)) {
    found.push(invalid(`${at}.maxUnavailable`, maxUnavailable, 'cannot be 0'));
  }
  return found;
};

const bounds = fields<NonNullable<StatefulSetSpec['updateStrategy']['rollingUpdate']>>({
  partition: nonNegative,
  maxUnavailable: all(intOrPercent, atMostAll),
});

/** Claims of the set are volumes of its pods, so the template is checked with them, and without names that the set gives. */
function withClaims(template: PodTemplateSpec, claims: readonly PersistentVolumeClaim[]): PodTemplateSpec {
  const made = claims.map(({ metadata }): Volume => {
    const name = metadata.name ?? '';
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  const names = new Set(made.map(({ name }) => name));
  const others = (template.spec.volumes ?? []).filter(({ name }) => !names.has(name));
  const volumes = [...new Map(made.map((volume) => [volume.name, volume])).values(), ...others];
  const { hostname: _, subdomain: __, ...spec } = template.spec;
  return { ...template, spec: { ...spec, volumes } };
}

const templateWithClaims: Rule<StatefulSetSpec> = (spec, path) => {
  const template: Rule<PodTemplateSpec> = (value, at) =>
    podTemplate({ only: 'Always' })(withClaims(value, spec.volumeClaimTemplates ?? []), at);
  return selectedTemplate<StatefulSetSpec>(template)(spec, path);
};

const retention = oneOf('Delete', 'Retain');

const spec = all<StatefulSetSpec>(
  fields<StatefulSetSpec>({
    podManagementPolicy: policy,
    updateStrategy,
    persistentVolumeClaimRetentionPolicy: fields<NonNullable<StatefulSetSpec['persistentVolumeClaimRetentionPolicy']>>({
      whenDeleted: retention,
      whenScaled: retention,
    }),
    replicas: nonNegative,
    minReadySeconds: nonNegative,
    ordinals: fields({ start: nonNegative }),
    selector: workloadSelector('statefulset'),
  }),
  templateWithClaims,
);

/** Later changes of these are refused altogether. */
const specAtCreation = fields<StatefulSetSpec>({
  volumeClaimTemplates: each(fields<PersistentVolumeClaim>({ spec: claimSpec })),
  serviceName: (value, path) => (value === '' ? [] : format(dns1123Label)(value, path)),
});

const fixed = fields<StatefulSetSpec>({
  podManagementPolicy: immutable,
  selector: immutable,
  serviceName: immutable,
  volumeClaimTemplates: immutable,
});

const onlyMutableFields: Rule<StatefulSetSpec> = (after, path, before) => {
  if (!before) return [];
  const found = fixed(after, path, before);
  if (found.length > 0) return found;
  const { replicas, ordinals, template, updateStrategy: strategy, revisionHistoryLimit } = before;
  const { persistentVolumeClaimRetentionPolicy, minReadySeconds } = before;
  const mutable = { replicas, ordinals, template, updateStrategy: strategy, revisionHistoryLimit };
  const restored = { ...after, ...mutable, persistentVolumeClaimRetentionPolicy, minReadySeconds };
  return sameValue(restored, { ...before, ...mutable }) ? [] : [forbidden(path, onlyThese)];
};

const status = all<StatefulSetStatus>(
  replicaCounts as Rule<StatefulSetStatus>,
  counts<StatefulSetStatus>('currentReplicas', 'updatedReplicas', 'collisionCount'),
  noMoreThan<StatefulSetStatus>('currentReplicas', 'replicas'),
  noMoreThan<StatefulSetStatus>('updatedReplicas', 'replicas'),
  notLowered<StatefulSetStatus>('collisionCount'),
);

const ofTemplate = workloadWarnings<StatefulSet>(({ spec: { template } }) => template, 'spec.template');

/** The path of a claim is spelled as upstream's, which differs from creation to update. */
function warnings(object: StatefulSet, old: StatefulSet | undefined): readonly string[] {
  const { volumeClaimTemplates = [], revisionHistoryLimit: limit = 0 } = object.spec;
  const found = volumeClaimTemplates.flatMap((claim, index) =>
    claimSpecWarnings(claim.spec, `spec.volumeClaimTemplates[${index}]${old ? '.Spec' : ''}`),
  );
  const kept =
    'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
  return [...ofTemplate(object, old), ...found, ...(limit < 0 ? [kept] : [])];
}

export const statefulSet = define(StatefulSet, {
  validateName: (name, isPrefix) => (isPrefix ? labelName(name, true) : dns1123Label(name)),
  defaults({ spec: wanted }) {
    wanted.podManagementPolicy ||= 'OrderedReady';
    if (!wanted.updateStrategy.type) {
      wanted.updateStrategy.type = 'RollingUpdate';
      wanted.updateStrategy.rollingUpdate ??= {};
    }
    const { type, rollingUpdate } = wanted.updateStrategy;
    if (type === 'RollingUpdate' && rollingUpdate) {
      rollingUpdate.partition ??= 0;
      rollingUpdate.maxUnavailable ??= 1;
    }
    wanted.persistentVolumeClaimRetentionPolicy ??= {};
    wanted.persistentVolumeClaimRetentionPolicy.whenDeleted ||= 'Retain';
    wanted.persistentVolumeClaimRetentionPolicy.whenScaled ||= 'Retain';
    wanted.replicas ??= 1;
    wanted.revisionHistoryLimit ??= 10;
    for (const claim of wanted.volumeClaimTemplates ?? []) {
      claim.apiVersion = 'v1';
      claim.kind = 'PersistentVolumeClaim';
      claimSpecDefaults(claim.spec);
      claim.status = { ...claim.status, phase: claim.status.phase || 'Pending' };
    }
    podTemplateDefaults(wanted.template);
  },
  validate: validate<StatefulSet>(fields<StatefulSet>({ spec })),
  validateCreate: validate<StatefulSet>(fields<StatefulSet>({ spec: specAtCreation })),
  validateUpdate: validateUpdate<StatefulSet>(fields<StatefulSet>({ spec: onlyMutableFields })),
  validateStatusUpdate: validateUpdate<StatefulSet>(fields<StatefulSet>({ status })),
  warnings,
  scale: { specReplicas: 'spec.replicas', statusReplicas: 'status.replicas', selector: 'spec.selector' },
  row: (object) => [
    object.metadata.name,
    `${object.status.readyReplicas ?? 0}/${object.spec.replicas ?? 0}`,
    age(object),
    ...containerCells(object.spec.template),
  ],
});
