import { posix } from 'node:path';
import { dns1123Label, dns1123Subdomain } from '@kubernode/machinery';
import type {
  LocalVolumeSource,
  NodeSelector,
  PersistentVolumeSpec,
  SecretReference,
  VolumeNodeAffinity,
} from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, notSupported, required as requiredCause } from '../cause.ts';
import { accessModes, storageSize } from './claims.ts';
import { noBacksteps } from '../pod/paths.ts';
import { nodeSelector } from '../pod/scheduling.ts';
import { nonNegativeQuantity } from '../resources/resources.ts';
import { all, evenIfAbsent, fields, type Rule } from '../rule.ts';
import { format, isEmpty, oneOf, required } from '../values.ts';
import { driverName, sourceRules, storageSystems } from './volume-sources.ts';

const secretReference = fields<SecretReference>({
  name: [required as Rule<string>, format(dns1123Subdomain)],
  namespace: [required as Rule<string>, format(dns1123Label)],
});

const csi = fields<NonNullable<PersistentVolumeSpec['csi']>>({
  driver: [required as Rule<string>, driverName],
  volumeHandle: required,
  controllerPublishSecretRef: secretReference,
  controllerExpandSecretRef: secretReference,
  nodePublishSecretRef: secretReference,
  nodeExpandSecretRef: secretReference,
});

/** In upstream's order: the first that is set is checked, all others are forbidden, but for Flex volumes. */
const sources = sourceRules(
  [
    'hostPath',
    'gcePersistentDisk',
    'awsElasticBlockStore',
    'glusterfs',
    'flocker',
    'nfs',
    'rbd',
    'quobyte',
    'cephfs',
    'iscsi',
    'cinder',
    'fc',
    'flexVolume',
    'azureFile',
    'vsphereVolume',
    'photonPersistentDisk',
    'portworxVolume',
    'azureDisk',
    'scaleIO',
    'local',
    'storageos',
    'csi',
  ],
  {
    ...storageSystems('persistentVolume'),
    local: { rule: fields<LocalVolumeSource>({ path: [required as Rule<string>, noBacksteps] }) },
    csi: { rule: csi },
  },
);

export const volumeSourceNames = sources.map(({ name }) => name as keyof PersistentVolumeSpec);

const oneSource: Rule<PersistentVolumeSpec> = (spec, path) => {
  const found: FieldCause[] = [];
  let count = 0;
  for (const { name, forbiddenAs = name, checkedAs = name, rule } of sources) {
    const source = spec[name as keyof PersistentVolumeSpec];
    if (source === undefined) continue;
    if (count > 0 && name !== 'flexVolume') {
      found.push(forbidden(`${path}.${forbiddenAs}`, 'may not specify more than 1 volume type'));
    } else {
      found.push(...(rule as Rule)(source, `${path}.${checkedAs}`));
      if (name === 'local' && !spec.nodeAffinity)
        found.push(requiredCause(`${path}.nodeAffinity`, 'Local volume requires node affinity'));
    }
    count += 1;
  }
  return count > 0 ? found : [requiredCause(path, 'must specify a volume type')];
};

/** Nothing may wipe the whole disk of a node. */
const notRecycledRoot: Rule<PersistentVolumeSpec> = ({ hostPath, persistentVolumeReclaimPolicy: policy }, path) =>
  hostPath && policy === 'Recycle' && posix.normalize(hostPath.path).replace(/(.)\/$/, '$1') === '/'
    ? [forbidden(`${path}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")]
    : [];

const capacity: Rule<PersistentVolumeSpec> = ({ capacity: sizes = {} }, path) => {
  const at = `${path}.capacity`;
  const found: FieldCause[] = Object.keys(sizes).length === 0 ? [requiredCause(at)] : [];
  if (!('storage' in sizes) || Object.keys(sizes).length > 1) found.push(notSupported(at, sizes, ['storage']));
  for (const [name, size] of Object.entries(sizes)) {
    found.push(...nonNegativeQuantity(size, `${at}[${name}]`), ...storageSize(size, `${at}[${name}]`));
  }
  return found;
};

const attributesClass: Rule<PersistentVolumeSpec> = ({ volumeAttributesClassName: name, csi: source }, path) => {
  if (name === undefined) return [];
  const at = `${path}.volumeAttributesClassName`;
  const found: FieldCause[] = name
    ? [...format(dns1123Subdomain)(name, at)]
    : [requiredCause(at, 'an empty string is disallowed')];
  if (!source) found.push(requiredCause(`${path}.csi`, 'has to be specified when using volumeAttributesClassName'));
  return found;
};

/** What a volume must keep (ValidatePersistentVolumeSpec). */
export const persistentVolumeSpec: Rule<PersistentVolumeSpec> = all<PersistentVolumeSpec>(
  fields<PersistentVolumeSpec>({
    accessModes: evenIfAbsent((modes: readonly string[] | undefined, path) =>
      isEmpty(modes) ? [requiredCause(path)] : accessModes(modes ?? [], path),
    ) as never,
    persistentVolumeReclaimPolicy: oneOf('Delete', 'Recycle', 'Retain'),
    storageClassName: (name, path) => (name === '' ? [] : format(dns1123Subdomain)(name, path)),
    volumeMode: oneOf('Block', 'Filesystem'),
    nodeAffinity: fields<VolumeNodeAffinity>({ required: [required as Rule<NodeSelector>, nodeSelector] }),
  }),
  capacity,
  oneSource,
  notRecycledRoot,
  attributesClass,
);

const inlineNever = 'may not be specified in the context of inline volumes';

/** A volume that is written out where it is used: by a CSI driver, and nothing of what binds or schedules. */
export const inlineVolumeSpec: Rule<PersistentVolumeSpec> = (spec, path) => {
  const { accessModes: modes = [], persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  const found: FieldCause[] = [];
  for (const name of ['claimRef', 'capacity', 'nodeAffinity', 'storageClassName'] as const) {
    const value = spec[name];
    const isSet = name === 'capacity' ? Object.keys(value ?? {}).length > 0 : Boolean(value);
    if (isSet) found.push(forbidden(`${path}.${name}`, inlineNever));
  }
  if (!spec.csi) found.push(requiredCause(`${path}.csi`, 'has to be specified in the context of inline volumes'));
  if (modes.length === 0) found.push(requiredCause(`${path}.accessModes`));
  else found.push(...accessModes(modes, `${path}.accessModes`));
  if (policy && policy !== 'Retain') {
    const detail = 'may only be Retain in the context of inline volumes';
    found.push(forbidden(`${path}.persistentVolumeReclaimPolicy`, detail));
  }
  if (volumeMode !== undefined && volumeMode !== 'Filesystem') {
    const detail = 'may not specify volumeMode other than Filesystem in the context of inline volumes';
    found.push(forbidden(`${path}.volumeMode`, detail));
  }
  const { nodeAffinity: _, ...sources } = spec;
  return [...found, ...oneSource(sources, path), ...notRecycledRoot(spec, path)];
};
