import { canonicalQuantity } from '@kubernode/machinery';
import {
  PersistentVolume,
  type NodeSelectorTerm,
  type PersistentVolumeSpec,
  type VolumeNodeAffinity,
} from '../../generated/types/core/v1.ts';
import { forbidden, invalid } from '../../rules/cause.ts';
import { isRenamed, nodeSelectorTermWarnings } from '../../rules/node-labels.ts';
import { persistentVolumeSpec, volumeSourceNames } from '../../rules/volumes/persistent-volume.ts';
import { fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { semanticallyEqual } from '../../rules/values.ts';
import { isPortalTooLong, portalTooLong } from '../../rules/volumes/volume-sources.ts';
import { annotationWarnings } from '../../rules/warnings.ts';
import { age, unsetCell } from '../cells.ts';
import { define } from '../define.ts';
import { accessModesCell } from './persistent-volume-claim.ts';

/** The source as it was: only that expanding asks a secret may be said later. */
function keptSource(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): PersistentVolumeSpec {
  if (!spec.csi?.controllerExpandSecretRef || !old.csi || old.csi.controllerExpandSecretRef) return spec;
  const { controllerExpandSecretRef: _, ...csi } = spec.csi;
  return { ...spec, csi };
}

/** Labels of nodes may be renamed to what they are called now; upstream takes "" for the new name of any. */
function withOldLabels(affinity: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity): unknown {
  const before = old.required?.nodeSelectorTerms ?? [];
  const restore = (list: 'matchExpressions' | 'matchFields', term: NodeSelectorTerm, index: number) =>
    term[list]?.map((one, position) => {
      const key = before[index]?.[list]?.[position]?.key ?? one.key;
      return one.key === '' || isRenamed(key, one.key) ? { ...one, key } : one;
    });
  const terms = affinity?.required?.nodeSelectorTerms.map((term, index) => ({
    ...term,
    matchExpressions: restore('matchExpressions', term, index),
    matchFields: restore('matchFields', term, index),
  }));
  return terms ? { required: { nodeSelectorTerms: terms } } : affinity;
}

const specUpdate: Rule<PersistentVolumeSpec> = (spec, path, old) => {
  if (!old) return [];
  const found = [];
  const next = keptSource(spec, old);
  if (volumeSourceNames.some((name) => !semanticallyEqual(next[name], old[name]))) {
    found.push(forbidden(`${path}.persistentvolumesource`, 'spec.persistentvolumesource is immutable after creation'));
  }
  if (spec.volumeMode !== old.volumeMode) found.push(invalid('volumeMode', spec.volumeMode, 'field is immutable'));
  if (old.nodeAffinity && !semanticallyEqual(withOldLabels(spec.nodeAffinity, old.nodeAffinity), old.nodeAffinity)) {
    found.push(
      invalid('nodeAffinity', spec.nodeAffinity, 'field is immutable, except for updating from beta label to GA'),
    );
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    found.push(forbidden(`${path}.volumeAttributesClassName`, 'update from non-nil value to nil is forbidden'));
  }
  return found;
};

const mountOptionsAnnotation = 'volume.beta.kubernetes.io/mount-options';
const mounted: readonly (keyof PersistentVolumeSpec)[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
];

/** The old way to give mount options is for volumes that the node itself mounts. */
const mountOptions: Rule<PersistentVolume> = ({ metadata, spec }) =>
  metadata.annotations?.[mountOptionsAnnotation] === undefined || mounted.some((name) => spec[name] !== undefined)
    ? []
    : [
        forbidden(
          `metadata.annotations.${mountOptionsAnnotation}`,
          'may not specify mount options for this volume type',
        ),
      ];

const portal: Rule<PersistentVolume> = ({ metadata, spec: { iscsi } }) =>
  iscsi && isPortalTooLong(iscsi, metadata.name ?? '')
    ? [invalid('spec.iscsi.targetportal', iscsi.targetPortal, portalTooLong)]
    : [];

/** Sources that no node can mount any more. */
const gone: readonly (readonly [name: keyof PersistentVolumeSpec, as: string, since: string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function warnings({ metadata, spec }: PersistentVolume): readonly string[] {
  const found = annotationWarnings(metadata.annotations, {
    'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
    [mountOptionsAnnotation]: 'deprecated since v1.31; use "mountOptions" attribute instead',
  });
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const detail =
      'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
    found.push(`spec.persistentVolumeReclaimPolicy: ${detail}`);
  }
  spec.nodeAffinity?.required?.nodeSelectorTerms.forEach((term, index) => {
    found.push(...nodeSelectorTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`));
  });
  return [...found, ...gone.flatMap(([name, as, since]) => (spec[name] === undefined ? [] : [`spec.${as}: ${since}`]))];
}

export const persistentVolume = define(PersistentVolume, {
  rechecksName: true,
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
    if (status.phase === old.phase) {
      if (old.lastPhaseTransitionTime) status.lastPhaseTransitionTime ??= old.lastPhaseTransitionTime;
      return;
    }
    const isOwn = status.lastPhaseTransitionTime && status.lastPhaseTransitionTime !== old.lastPhaseTransitionTime;
    if (!isOwn) status.lastPhaseTransitionTime = nowTime;
  },
  validate: validate<PersistentVolume>(fields<PersistentVolume>({ spec: persistentVolumeSpec }), portal, mountOptions),
  validateUpdate: validateUpdate<PersistentVolume>(fields<PersistentVolume>({ spec: specUpdate })),
  generation: 'none',
  warnings,
  row: (object) => {
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
      age(object),
      spec.volumeMode ?? unsetCell,
    ];
  },
});
