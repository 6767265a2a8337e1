import { canonicalQuantity } from '@kubernode/machinery';
import { PersistentVolume, type PersistentVolumeSpec } from '../../generated/types/core/v1.ts';
import { forbidden, invalid } from '../../rules/cause.ts';
import { persistentVolumeSpec, volumeSourceNames } from '../../rules/persistent-volume.ts';
import { fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { sameValue } from '../../rules/values.ts';
import { age, unsetCell } from '../cells.ts';
import { define } from '../define.ts';
import { accessModesCell } from './persistent-volume-claim.ts';

const specUpdate: Rule<PersistentVolumeSpec> = (spec, path, old) => {
  if (!old) return [];
  const found = [];
  if (volumeSourceNames.some((name) => !sameValue(spec[name], old[name]))) {
    found.push(forbidden(`${path}.persistentvolumesource`, 'spec.persistentvolumesource is immutable after creation'));
  }
  if (spec.volumeMode !== old.volumeMode) found.push(invalid('volumeMode', spec.volumeMode, 'field is immutable'));
  if (old.nodeAffinity && !sameValue(spec.nodeAffinity, old.nodeAffinity)) {
    found.push(
      invalid('nodeAffinity', spec.nodeAffinity, 'field is immutable, except for updating from beta label to GA'),
    );
  }
  return found;
};

export const persistentVolume = define(PersistentVolume, {
  defaults({ spec, status }) {
    status.phase ||= 'Pending';
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    if (spec.hostPath) spec.hostPath.type ??= '';
  },
  prepareForCreate({ metadata, status }) {
    status.phase = 'Pending';
    if (metadata.creationTimestamp) status.lastPhaseTransitionTime = metadata.creationTimestamp;
  },
  /** The time goes with the phase, unless who changes it says another one. */
  prepareForStatusUpdate({ status }, { status: old }, nowTime) {
    if (status.phase === old.phase) return;
    const isOwn = status.lastPhaseTransitionTime && status.lastPhaseTransitionTime !== old.lastPhaseTransitionTime;
    if (!isOwn) status.lastPhaseTransitionTime = nowTime;
  },
  validate: validate<PersistentVolume>(fields<PersistentVolume>({ spec: persistentVolumeSpec })),
  validateUpdate: validateUpdate<PersistentVolume>(fields<PersistentVolume>({ spec: specUpdate })),
  generation: 'none',
  row: (object, nowMs) => {
    const { spec, status, metadata } = object;
    const claim = spec.claimRef;
    return [
      metadata.name,
      canonicalQuantity(spec.capacity?.['storage'] ?? '0'),
      accessModesCell(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? '',
      metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
      claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '',
      metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? '',
      spec.volumeAttributesClassName ?? unsetCell,
      status.reason ?? '',
      age(object, nowMs),
      spec.volumeMode ?? unsetCell,
    ];
  },
});
