import { canonicalQuantity, compareQuantities } from '@kubernode/machinery';
import { PersistentVolumeClaim, type PersistentVolumeClaimSpec } from '../../generated/types/core/v1.ts';
import { forbidden, invalid } from '../../rules/cause.ts';
import { claimSpec, claimSpecDefaults } from '../../rules/claims.ts';
import { fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { sameValue } from '../../rules/values.ts';
import { age, unsetCell } from '../cells.ts';
import { define } from '../define.ts';

const onlyThese =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

const specUpdate: Rule<PersistentVolumeClaimSpec> = (spec, path, old) => {
  if (!old) return [];
  const found = [];
  const before = old.resources.requests?.['storage'];
  const after = spec.resources.requests?.['storage'];
  if (before !== undefined && (after === undefined || compareQuantities(after, before) < 0)) {
    found.push(forbidden(`${path}.resources.requests.storage`, 'field can not be less than status.capacity'));
  }
  if (!sameValue(spec, old)) found.push(forbidden(path, onlyThese));
  if (spec.volumeMode !== old.volumeMode) found.push(invalid('volumeMode', spec.volumeMode, 'field is immutable'));
  return found;
};

/** A bound claim may grow, and change its class of attributes. */
const boundUpdate: Rule<PersistentVolumeClaim> = (claim, path, old) => {
  if (!old) return [];
  const { spec } = claim;
  const isBound = old.status.phase === 'Bound';
  const restored = isBound
    ? {
        ...spec,
        resources: { ...spec.resources, requests: old.spec.resources.requests },
        volumeAttributesClassName: old.spec.volumeAttributesClassName,
      }
    : spec;
  const next = old.spec.volumeName ? restored : { ...restored, volumeName: old.spec.volumeName };
  return specUpdate(next as PersistentVolumeClaimSpec, path ? `${path}.spec` : 'spec', old.spec);
};

export const persistentVolumeClaim = define(PersistentVolumeClaim, {
  defaults({ spec, status }) {
    claimSpecDefaults(spec);
    status.phase ||= 'Pending';
  },
  prepareForCreate({ spec, status }) {
    status.phase = 'Pending';
    normalizeSources(spec);
  },
  prepareForUpdate: ({ spec }) => normalizeSources(spec),
  validate: validate<PersistentVolumeClaim>(fields<PersistentVolumeClaim>({ spec: claimSpec })),
  validateUpdate: validateUpdate<PersistentVolumeClaim>(boundUpdate),
  generation: 'none',
  row: (object, nowMs) => {
    const { spec, status, metadata } = object;
    const isBound = Boolean(spec.volumeName);
    const size = status.capacity?.['storage'];
    return [
      metadata.name,
      metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
      spec.volumeName ?? '',
      isBound ? (size === undefined ? '0' : canonicalQuantity(size)) : '',
      isBound ? accessModesCell(status.accessModes) : '',
      metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? '',
      spec.volumeAttributesClassName ?? unsetCell,
      age(object, nowMs),
      spec.volumeMode ?? unsetCell,
    ];
  },
});

/** The two ways to name what a claim starts from say the same; the older one takes claims and snapshots only. */
function normalizeSources(spec: PersistentVolumeClaimSpec): void {
  const { dataSource: source } = spec;
  const isClaim = source?.kind === 'PersistentVolumeClaim' && !source.apiGroup;
  const isSnapshot = source?.kind === 'VolumeSnapshot' && source.apiGroup === 'snapshot.storage.k8s.io';
  if (!isClaim && !isSnapshot && !spec.dataSourceRef) delete spec.dataSource;
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  const { dataSourceRef: reference } = spec;
  if (!reference || spec.dataSource || reference.namespace) return;
  const { namespace: _, ...local } = reference;
  spec.dataSource = local;
}

const short: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** `RWO,ROX`, in the order of the table above. */
export function accessModesCell(modes: readonly string[] = []): string {
  return Object.keys(short)
    .filter((mode) => modes.includes(mode))
    .map((mode) => short[mode])
    .join(',');
}
