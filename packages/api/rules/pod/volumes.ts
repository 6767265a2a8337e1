import { compareQuantities, dns1123Label, dns1123Subdomain } from '@kubernode/machinery';
import type {
  ConfigMapVolumeSource,
  CSIVolumeSource,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  ImageVolumeSource,
  PersistentVolumeClaimVolumeSource,
  SecretVolumeSource,
  Volume,
} from '../../generated/types/core/v1.ts';
import type { ObjectMeta } from '../../generated/types/meta/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, required as requiredCause } from '../cause.ts';
import { claimSpec } from '../volumes/claims.ts';
import { all, each, evenIfAbsent, fields, type Rule } from '../rule.ts';
import { format, isEmpty, oneOf, required } from '../values.ts';
import { annotations, labels } from '../metadata.ts';
import { downwardFile, keyToPath, requiredMode } from './files.ts';
import { projected } from './projected.ts';
import { driverName, isPortalTooLong, portalTooLong, sourceRules, storageSystems } from '../volumes/volume-sources.ts';

const emptyDir: Rule<EmptyDirVolumeSource> = ({ sizeLimit }, path) =>
  sizeLimit !== undefined && compareQuantities(sizeLimit, '0') < 0
    ? [forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
    : [];

const secret = fields<SecretVolumeSource>({ secretName: required, defaultMode: requiredMode, items: each(keyToPath) });
const configMap = fields<ConfigMapVolumeSource>({ name: required, defaultMode: requiredMode, items: each(keyToPath) });

const persistentVolumeClaim = fields<PersistentVolumeClaimVolumeSource>({ claimName: required });

const downwardAPI: Rule<DownwardAPIVolumeSource> = all<DownwardAPIVolumeSource>(
  fields<DownwardAPIVolumeSource>({ defaultMode: requiredMode }),
  ({ items = [] }, path) => items.flatMap((item) => downwardFile(item, path)),
);

const csi: Rule<CSIVolumeSource> = (source, path) => {
  const { driver, nodePublishSecretRef: secretRef } = source;
  const found = driver ? [...driverName(driver, `${path}.driver`)] : [requiredCause(`${path}.driver`)];
  if (!secretRef) return found;
  const { name = '' } = secretRef;
  if (!name) return [...found, requiredCause(`${path}.nodePublishSecretRef.name`)];
  return [...found, ...dns1123Subdomain(name).map((detail) => invalid(`${path}.name`, name, detail))];
};

const onlyLabels: Rule<ObjectMeta> = (metadata, path) =>
  Object.entries(metadata)
    .filter(([name, value]) => name !== 'labels' && name !== 'annotations' && !isEmpty(value) && value !== 0)
    .map(([name]) => forbidden(`${path}.${name}`, 'cannot be set'));

const ephemeral = fields<EphemeralVolumeSource>({
  volumeClaimTemplate: [
    required as Rule<NonNullable<EphemeralVolumeSource['volumeClaimTemplate']>>,
    fields<NonNullable<EphemeralVolumeSource['volumeClaimTemplate']>>({
      metadata: all<ObjectMeta>(fields<ObjectMeta>({ labels, annotations }), onlyLabels),
      spec: evenIfAbsent((spec, path) => claimSpec(spec ?? {}, path)),
    }),
  ],
});

const image = fields<ImageVolumeSource>({ reference: required, pullPolicy: oneOf('Always', 'IfNotPresent', 'Never') });

/** In upstream's order: the first that is set is checked, all others are forbidden. */
const sources = sourceRules(
  [
    'emptyDir',
    'hostPath',
    'gitRepo',
    'gcePersistentDisk',
    'awsElasticBlockStore',
    'secret',
    'nfs',
    'iscsi',
    'glusterfs',
    'flocker',
    'persistentVolumeClaim',
    'rbd',
    'cinder',
    'cephfs',
    'quobyte',
    'downwardAPI',
    'fc',
    'flexVolume',
    'configMap',
    'azureFile',
    'vsphereVolume',
    'photonPersistentDisk',
    'portworxVolume',
    'azureDisk',
    'storageos',
    'projected',
    'scaleIO',
    'csi',
    'ephemeral',
    'image',
  ],
  {
    ...storageSystems('pod'),
    emptyDir: { rule: emptyDir },
    secret: { rule: secret },
    persistentVolumeClaim: { rule: persistentVolumeClaim },
    // The misspelling is upstream's.
    downwardAPI: { rule: downwardAPI, forbiddenAs: 'downwarAPI' },
    configMap: { rule: configMap },
    projected: { rule: projected },
    csi: { rule: csi },
    ephemeral: { rule: ephemeral },
    image: { rule: image },
  },
);

const firstSource = (volume: Volume) => sources.find(({ name }) => volume[name as keyof Volume])?.name;

const sourceNames = new Map(sources.map((source, place) => [source.name, { ...source, place }]));

/** Those that a volume has, which is nearly always one, in upstream's order. */
function sourcesOf(volume: Volume) {
  const given = [];
  for (const name in volume) {
    const source = sourceNames.get(name);
    if (source && (volume[name as keyof Volume] ?? null) !== null) given.push(source);
  }
  return given.length > 1 ? given.sort((a, b) => a.place - b.place) : given;
}

const volumeSource: Rule<Volume> = (volume, path) => {
  const [first, ...others] = sourcesOf(volume);
  if (!first) return [requiredCause(path, 'must specify a volume type')];
  const { name, checkedAs = name, rule } = first;
  const found = rule(volume[name as keyof Volume] as never, `${path}.${checkedAs}`);
  const isTooLong = volume.iscsi && isPortalTooLong(volume.iscsi, volume.name);
  if (others.length === 0 && !isTooLong) return found;
  const detail = 'may not specify more than 1 volume type';
  return [
    ...found,
    ...others.map((other) => forbidden(`${path}.${other.forbiddenAs ?? other.name}`, detail)),
    ...(isTooLong ? [invalid(`${path}.name`, volume.name, portalTooLong)] : []),
  ];
};

const volume = all<Volume>(volumeSource, fields<Volume>({ name: [required, format(dns1123Label)] }));

/** `volumes`, and those of them that are without fault. The claim of an ephemeral one is named after pod and volume. */
export function checkVolumes(
  volumes: readonly Volume[],
  path: string,
  metadata: ObjectMeta | undefined,
): { readonly found: readonly FieldCause[]; readonly valid: ReadonlyMap<string, Volume> } {
  const valid = new Map<string, Volume>();
  const podName = metadata?.name;
  const madeClaims = new Set(
    podName ? volumes.filter((one) => one.ephemeral).map(({ name }) => `${podName}-${name}`) : [],
  );
  const found = volumes.flatMap((one, index) => {
    const at = `${path}[${index}]`;
    const causes = [...volume(one, at)];
    if (one.ephemeral && podName && one.name && firstSource(one) === 'ephemeral') {
      const claimName = `${podName}-${one.name}`;
      const why = (detail: string) => `PVC name "${claimName}": ${detail}`;
      causes.push(...dns1123Subdomain(claimName).map((detail) => invalid(`${at}.name`, one.name, why(detail))));
    }
    if (valid.has(one.name)) causes.push(duplicate(`${at}.name`, one.name));
    if (causes.length === 0) valid.set(one.name, one);
    const claimName = one.persistentVolumeClaim?.claimName;
    if (claimName !== undefined && madeClaims.has(claimName)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      causes.push(invalid(`${at}.persistentVolumeClaim.claimName`, claimName, detail));
    }
    return causes;
  });
  return { found, valid };
}
