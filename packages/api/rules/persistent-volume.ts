import { dns1123Subdomain } from '@kubernode/machinery';
import type {
  LocalVolumeSource,
  NodeSelector,
  PersistentVolumeSpec,
  SecretReference,
  VolumeNodeAffinity,
} from '../generated/types/core/v1.ts';
import type { FieldCause } from '../status-error.ts';
import { forbidden, notSupported, required as requiredCause } from './cause.ts';
import { accessModes, storageSize } from './claims.ts';
import { noBacksteps } from './pod/paths.ts';
import { nodeSelector } from './pod/scheduling.ts';
import { driverName, hostPath, nfs } from './pod/volumes.ts';
import { resourceQuantity } from './resources.ts';
import { all, evenIfAbsent, fields, type Rule } from './rule.ts';
import { format, isEmpty, oneOf, required } from './values.ts';

const secretReference = fields<SecretReference>({ name: required, namespace: required });

const csi = fields<NonNullable<PersistentVolumeSpec['csi']>>({
  driver: [required as Rule<string>, driverName],
  volumeHandle: required,
  controllerPublishSecretRef: secretReference,
  controllerExpandSecretRef: secretReference,
  nodePublishSecretRef: secretReference,
  nodeStageSecretRef: secretReference,
  nodeExpandSecretRef: secretReference,
});

const needs = (...names: readonly string[]) =>
  fields<Record<string, unknown>>(Object.fromEntries(names.map((name) => [name, required]))) as Rule<never>;

/** In upstream's order: the first that is set is checked, all others are forbidden. */
const sources: ReadonlyMap<keyof PersistentVolumeSpec, Rule<never>> = new Map<keyof PersistentVolumeSpec, Rule<never>>([
  ['hostPath', hostPath],
  ['gcePersistentDisk', needs('pdName')],
  ['awsElasticBlockStore', needs('volumeID')],
  ['glusterfs', needs('endpoints', 'path')],
  ['flocker', needs()],
  ['nfs', nfs],
  ['rbd', needs('monitors', 'image')],
  ['quobyte', needs('registry', 'volume')],
  ['cephfs', needs('monitors')],
  ['iscsi', needs('targetPortal', 'iqn')],
  ['cinder', needs('volumeID')],
  ['fc', needs()],
  ['flexVolume', needs('driver')],
  ['azureFile', needs('secretName', 'shareName')],
  ['vsphereVolume', needs('volumePath')],
  ['photonPersistentDisk', needs('pdID')],
  ['portworxVolume', needs('volumeID')],
  ['azureDisk', needs('diskName', 'diskURI')],
  ['scaleIO', needs('gateway', 'system', 'volumeName')],
  ['local', fields<LocalVolumeSource>({ path: [required as Rule<string>, noBacksteps] })],
  ['storageos', needs('volumeName')],
  ['csi', csi],
]);

export const volumeSourceNames = [...sources.keys()];

const oneSource: Rule<PersistentVolumeSpec> = (spec, path) => {
  const [first, ...others] = volumeSourceNames.filter((name) => spec[name] !== undefined);
  if (!first) return [requiredCause(path, 'must specify a volume type')];
  const found = others.map((name) => forbidden(`${path}.${name}`, 'may not specify more than 1 volume type'));
  return [...found, ...(sources.get(first) as Rule)(spec[first], `${path}.${first}`)];
};

const capacity: Rule<PersistentVolumeSpec> = ({ capacity: sizes = {} }, path) => {
  const at = `${path}.capacity`;
  const found: FieldCause[] = Object.keys(sizes).length === 0 ? [requiredCause(at)] : [];
  if (!('storage' in sizes) || Object.keys(sizes).length > 1) found.push(notSupported(at, sizes, ['storage']));
  for (const [name, size] of Object.entries(sizes)) {
    found.push(...resourceQuantity(name)(size, `${at}[${name}]`), ...storageSize(size, `${at}[${name}]`));
  }
  return found;
};

const attributesClass: Rule<PersistentVolumeSpec> = ({ volumeAttributesClassName: name, csi: source }, path) => {
  if (name === undefined) return [];
  const at = `${path}.volumeAttributesClassName`;
  const found: FieldCause[] = name ? [...format(dns1123Subdomain)(name, at)] : [requiredCause(at)];
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
    storageClassName: format(dns1123Subdomain),
    volumeMode: oneOf('Block', 'Filesystem'),
    nodeAffinity: fields<VolumeNodeAffinity>({ required: [required as Rule<NodeSelector>, nodeSelector] }),
  }),
  capacity,
  oneSource,
  attributesClass,
);
