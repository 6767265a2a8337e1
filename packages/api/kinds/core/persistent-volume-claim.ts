import { canonicalQuantity, compareQuantities, qualifiedName, table } from '@kubernode/machinery';
import { PersistentVolumeClaim, type PersistentVolumeClaimSpec } from '../../generated/types/core/v1.ts';
import { forbidden, invalid, notSupported, required } from '../../rules/cause.ts';
import { claimSpec, claimSpecDefaults, claimSpecWarnings } from '../../rules/volumes/claims.ts';
import { isNativeResource, nonNegativeQuantity } from '../../rules/resources/resources.ts';
import { fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { isEmpty, semanticallyEqual } from '../../rules/values.ts';
import { annotationWarnings } from '../../rules/warnings.ts';
import type { FieldCause } from '../../status-error.ts';
import { age, unsetCell } from '../cells.ts';
import { define } from '../define.ts';

const onlyThese =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** A class may move from its annotation to its field, and be given where there was none. */
function mayGainClass({ metadata, spec }: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const before = old.metadata.annotations?.[classAnnotation];
  if (old.spec.storageClassName !== undefined || spec.storageClassName === undefined) return false;
  if (before === undefined) return true;
  const after = metadata.annotations?.[classAnnotation];
  return spec.storageClassName === before && (after === undefined || after === before);
}

/** The spec with all that may change put back: a bound claim may grow, and change its class of attributes. */
function restored({ spec, status }: PersistentVolumeClaim, { spec: old }: PersistentVolumeClaim) {
  const next: Record<string, unknown> = { ...spec };
  if (!old.volumeName) next['volumeName'] = old.volumeName;
  if (status.phase !== 'Bound') return next;
  next['volumeAttributesClassName'] = old.volumeAttributesClassName;
  const { requests } = spec.resources;
  if (requests) {
    const size = old.resources.requests?.['storage'];
    next['resources'] = { ...spec.resources, requests: { ...requests, storage: size ?? '0' } };
  }
  return next;
}

const change: Rule<PersistentVolumeClaim> = (claim, _, old) => {
  if (!old) return [];
  const { spec, status } = claim;
  const found: FieldCause[] = [];
  const gains = mayGainClass(claim, old);
  const annotation = (of: PersistentVolumeClaim) => of.metadata.annotations?.[classAnnotation] ?? '';
  const moves = gains && old.metadata.annotations?.[classAnnotation] !== undefined;
  if (!moves && annotation(claim) !== annotation(old)) {
    found.push(invalid(`metadata.annotations[${classAnnotation}]`, annotation(claim), 'field is immutable'));
  }
  const next = restored(claim, old);
  if (gains) next['storageClassName'] = old.spec.storageClassName;
  if (!semanticallyEqual(next, old.spec)) found.push(forbidden('spec', onlyThese));
  const size = (of: PersistentVolumeClaimSpec) => of.resources.requests?.['storage'] ?? '0';
  if (
    compareQuantities(size(spec), size(old.spec)) < 0 &&
    compareQuantities(size(spec), old.status.capacity?.['storage'] ?? '0') <= 0
  ) {
    found.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  if (spec.volumeMode !== old.spec.volumeMode) found.push(invalid('volumeMode', spec.volumeMode, 'field is immutable'));
  if (status.currentVolumeAttributesClassName !== undefined && !spec.volumeAttributesClassName) {
    const to = spec.volumeAttributesClassName === undefined ? 'nil' : 'empty string';
    const detail = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`;
    if (old.spec.volumeAttributesClassName !== spec.volumeAttributesClassName)
      found.push(forbidden('spec.volumeAttributesClassName', detail));
  }
  return found;
};

const resizeStatuses = [
  'ControllerResizeInfeasible',
  'ControllerResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizePending',
];

/** A resource that a claim can have: its storage, or one of a vendor. */
const resourceKey = (name: string, path: string): FieldCause[] => {
  const found = qualifiedName(name).map((detail) => invalid(path, name, detail));
  return found.length === 0 && isNativeResource(name) && name !== 'storage'
    ? [notSupported(path, name, ['storage'])]
    : found;
};

function statusUpdate({ spec, status }: PersistentVolumeClaim): readonly FieldCause[] {
  const found: FieldCause[] = isEmpty(spec.accessModes) ? [required('Spec.accessModes')] : [];
  for (const [name, size] of Object.entries(status.capacity ?? {}))
    found.push(...nonNegativeQuantity(size, `status.capacity[${name}]`));
  for (const [name, value] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    const at = 'status.allocatedResourceStatuses';
    found.push(...resourceKey(name, at));
    if (!resizeStatuses.includes(value)) found.push(notSupported(at, name, resizeStatuses));
  }
  for (const [name, size] of Object.entries(status.allocatedResources ?? {})) {
    const wrong = resourceKey(name, 'status.allocatedResources');
    found.push(...(wrong.length > 0 ? wrong : nonNegativeQuantity(size, `status.allocatedResources[${name}]`)));
  }
  return found;
}

function warnings({ metadata, spec }: PersistentVolumeClaim): readonly string[] {
  return [
    ...annotationWarnings(metadata.annotations, {
      [classAnnotation]: 'deprecated since v1.8; use "storageClassName" attribute instead',
    }),
    ...claimSpecWarnings(spec, 'spec'),
  ];
}

export const persistentVolumeClaim = define(PersistentVolumeClaim, {
  rechecksName: true,
  defaults({ spec, status }) {
    claimSpecDefaults(spec);
    status.phase ||= 'Pending';
  },
  prepareForCreate({ spec, status }) {
    status.phase = 'Pending';
    normalizeSources(spec);
  },
  prepareForUpdate: ({ spec }, { spec: old }) => normalizeSources(spec, old),
  validateCreate: validate<PersistentVolumeClaim>(fields<PersistentVolumeClaim>({ spec: claimSpec })),
  validateUpdate: validateUpdate<PersistentVolumeClaim>(fields<PersistentVolumeClaim>({ spec: claimSpec }), change),
  validateStatusUpdate: statusUpdate,
  warnings,
  generation: 'none',
  row: (object) => {
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
      age(object),
      spec.volumeMode ?? unsetCell,
    ];
  },
});

/** The two ways to name what a claim starts from say the same; the older one takes claims and snapshots only (KEP-1495). */
function normalizeSources(spec: PersistentVolumeClaimSpec, old?: PersistentVolumeClaimSpec): void {
  // Sources of other namespaces are a feature that is off (CrossNamespaceVolumeDataSource).
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef;
  const { dataSource: source } = spec;
  const isClaim = source?.kind === 'PersistentVolumeClaim' && !source.apiGroup;
  const isSnapshot = source?.kind === 'VolumeSnapshot' && source.apiGroup === 'snapshot.storage.k8s.io';
  const wasThere = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  if (!isClaim && !isSnapshot && !spec.dataSourceRef && !wasThere) delete spec.dataSource;
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  const { dataSourceRef: reference } = spec;
  if (!reference || spec.dataSource || reference.namespace) return;
  const { namespace: _, ...local } = reference;
  spec.dataSource = local;
}

const short: Readonly<Record<string, string>> = table({
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
});

/** `RWO,ROX`, in the order of the table above. */
export function accessModesCell(modes: readonly string[] = []): string {
  return Object.keys(short)
    .filter((mode) => modes.includes(mode))
    .map((mode) => short[mode])
    .join(',');
}
