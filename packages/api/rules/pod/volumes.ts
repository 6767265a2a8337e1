import { compareQuantities, dns1123Label, dns1123Subdomain } from '@kubernode/machinery';
import type {
  ConfigMapVolumeSource,
  CSIVolumeSource,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  HostPathVolumeSource,
  ImageVolumeSource,
  NFSVolumeSource,
  PersistentVolumeClaimVolumeSource,
  SecretVolumeSource,
  Volume,
} from '../../generated/types/core/v1.ts';
import type { ObjectMeta } from '../../generated/types/meta/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, required as requiredCause } from '../cause.ts';
import { claimSpec } from '../claims.ts';
import { all, each, evenIfAbsent, fields, inOrder, type Rule } from '../rule.ts';
import { format, maxBytes, oneOf, required, uniqueBy } from '../values.ts';
import { annotations, labels } from '../metadata.ts';
import { downwardFile, keyToPath, requiredMode } from './files.ts';
import { noBacksteps } from './paths.ts';
import { projected } from './projected.ts';
import { networkSources } from './volume-sources.ts';

const emptyDir: Rule<EmptyDirVolumeSource> = ({ sizeLimit }, path) =>
  sizeLimit !== undefined && compareQuantities(sizeLimit, '0') < 0
    ? [forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
    : [];

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

export const hostPath: Rule<HostPathVolumeSource> = inOrder<HostPathVolumeSource>([
  fields<HostPathVolumeSource>({ path: required }),
  fields<HostPathVolumeSource>({ path: noBacksteps, type: oneOf(...hostPathTypes) }),
]);

const secret = fields<SecretVolumeSource>({ secretName: required, defaultMode: requiredMode, items: each(keyToPath) });
const configMap = fields<ConfigMapVolumeSource>({ name: required, defaultMode: requiredMode, items: each(keyToPath) });

export const nfs: Rule<NFSVolumeSource> = all<NFSVolumeSource>(
  fields<NFSVolumeSource>({ server: required, path: required }),
  ({ path: exported }, path) =>
    exported.startsWith('/') ? [] : [invalid(`${path}.path`, exported, 'must be an absolute path')],
);

const persistentVolumeClaim = fields<PersistentVolumeClaimVolumeSource>({ claimName: required });

const downwardAPI: Rule<DownwardAPIVolumeSource> = all<DownwardAPIVolumeSource>(
  fields<DownwardAPIVolumeSource>({ defaultMode: requiredMode }),
  ({ items = [] }, path) => items.flatMap((item) => downwardFile(item, path)),
);

/** A CSI driver's name: at most 63 characters, a DNS subdomain whatever its case. */
export const driverName: Rule<string> = all<string>(maxBytes(63), (value, path) =>
  dns1123Subdomain(value.toLowerCase()).map((detail) => invalid(path, value, detail)),
);

const csi: Rule<CSIVolumeSource> = (source, path) => {
  const { driver, nodePublishSecretRef: secretRef } = source;
  const found = driver ? [...driverName(driver, `${path}.driver`)] : [requiredCause(`${path}.driver`)];
  if (!secretRef) return found;
  const { name = '' } = secretRef;
  if (!name) return [...found, requiredCause(`${path}.nodePublishSecretRef.name`)];
  return [...found, ...dns1123Subdomain(name).map((detail) => invalid(`${path}.name`, name, detail))];
};

const ephemeral = fields<EphemeralVolumeSource>({
  volumeClaimTemplate: [
    required as Rule<NonNullable<EphemeralVolumeSource['volumeClaimTemplate']>>,
    fields<NonNullable<EphemeralVolumeSource['volumeClaimTemplate']>>({
      metadata: fields<ObjectMeta>({ labels, annotations }),
      spec: evenIfAbsent((spec, path) => claimSpec(spec ?? {}, path)),
    }),
  ],
});

const image = fields<ImageVolumeSource>({ reference: required, pullPolicy: oneOf('Always', 'IfNotPresent', 'Never') });

/** In upstream's order: the first that is set is checked, all others are forbidden. `as`: a name that causes spell otherwise. */
const sources: readonly { readonly name: keyof Volume; readonly as?: string; readonly rule: Rule<never> }[] = [
  { name: 'emptyDir', rule: emptyDir },
  { name: 'hostPath', rule: hostPath },
  ...networkSources.filter(({ before }) => before === 'secret'),
  { name: 'secret', rule: secret },
  { name: 'nfs', rule: nfs },
  ...networkSources.filter(({ before }) => before === 'persistentVolumeClaim'),
  { name: 'persistentVolumeClaim', rule: persistentVolumeClaim },
  ...networkSources.filter(({ before }) => before === 'downwardAPI'),
  { name: 'downwardAPI', as: 'downwarAPI', rule: downwardAPI },
  ...networkSources.filter(({ before }) => before === 'configMap'),
  { name: 'configMap', rule: configMap },
  ...networkSources.filter(({ before }) => before === 'projected'),
  { name: 'projected', rule: projected },
  { name: 'csi', rule: csi },
  { name: 'ephemeral', rule: ephemeral },
  { name: 'image', rule: image },
];

const volumeSource: Rule<Volume> = (volume, path) => {
  const found: FieldCause[] = [];
  let count = 0;
  for (const { name, as, rule } of sources) {
    const source = volume[name];
    if (source === undefined || source === null) continue;
    if (count > 0) found.push(forbidden(`${path}.${as ?? name}`, 'may not specify more than 1 volume type'));
    else found.push(...rule(source as never, `${path}.${name}`));
    count += 1;
  }
  return count > 0 ? found : [requiredCause(path, 'must specify a volume type')];
};

const volume = all<Volume>(volumeSource, fields<Volume>({ name: [required, format(dns1123Label)] }));

/** `volumes`, and those of them that are without fault. The claim of an ephemeral one is named after pod and volume. */
export function checkVolumes(
  volumes: readonly Volume[],
  path: string,
  metadata: ObjectMeta | undefined,
): { readonly found: readonly FieldCause[]; readonly valid: ReadonlyMap<string, Volume> } {
  const valid = new Map<string, Volume>();
  const found = volumes.flatMap((one, index) => {
    const at = `${path}[${index}]`;
    const causes = [...volume(one, at)];
    if (one.ephemeral && metadata?.name) {
      const claimName = `${metadata.name}-${one.name}`;
      const why = (detail: string) => `PVC name "${claimName}": ${detail}`;
      if (one.name)
        causes.push(...dns1123Subdomain(claimName).map((detail) => invalid(`${at}.name`, one.name, why(detail))));
    }
    if (causes.length === 0 && !valid.has(one.name)) valid.set(one.name, one);
    return causes;
  });
  return { found: [...found, ...uniqueBy<Volume>('name')(volumes, path)], valid };
}
