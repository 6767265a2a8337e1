import { dns1123Label, dns1123Subdomain } from '@kubernode/machinery';
import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  HostPathVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
} from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, notSupported, required as requiredCause } from '../cause.ts';
import { localDescendingPath, noBacksteps } from '../pod/paths.ts';
import { all, eachKey, fields, inOrder, type Rule } from '../rule.ts';
import { maxBytes, oneOf, required } from '../values.ts';

/** Where a volume's source stands: in a pod, or in a persistent volume, which has no namespace to find secrets in. */
export type Owner = 'pod' | 'persistentVolume';

/** The source's name, and how causes spell it where upstream does so differently. */
export interface SourceRule {
  readonly name: string;
  /** Where it is forbidden, being the second one. */
  readonly forbiddenAs?: string;
  /** Where its own fields are. */
  readonly checkedAs?: string;
  readonly rule: Rule<never>;
}

const needs = (...names: readonly string[]) =>
  fields<Record<string, unknown>>(Object.fromEntries(names.map((name) => [name, required]))) as Rule<never>;

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

const hostPath: Rule<HostPathVolumeSource> = inOrder<HostPathVolumeSource>([
  fields<HostPathVolumeSource>({ path: required }),
  fields<HostPathVolumeSource>({ path: noBacksteps, type: oneOf(...hostPathTypes) }),
]);

const nfs: Rule<NFSVolumeSource> = all<NFSVolumeSource>(
  fields<NFSVolumeSource>({ server: required, path: required }),
  ({ path: exported }, path) =>
    exported.startsWith('/') ? [] : [invalid(`${path}.path`, exported, 'must be an absolute path')],
);

/** A CSI driver's name: at most 63 characters, a DNS subdomain whatever its case. */
export const driverName: Rule<string> = all<string>(maxBytes(63), (value, path) =>
  dns1123Subdomain(value.toLowerCase()).map((detail) => invalid(path, value, detail)),
);

const byte =
  (detail: string): Rule<number> =>
  (value, path) =>
    value < 0 || value > 255 ? [invalid(path, value, detail)] : [];

const partition = byte('must be a number between 0 and 255, inclusive');
const lun = byte('must be between 0 and 255, inclusive');

const disk = (name: string) => fields<Record<string, never>>({ [name]: required, partition }) as Rule<never>;

const gitRepo = fields<{ repository: string; directory?: string | undefined }>({
  repository: required,
  directory: localDescendingPath,
});

const secretOf = (owner: Owner): Rule<never> =>
  fields<{ name?: string; namespace?: string }>({
    name: required,
    ...(owner === 'persistentVolume' && { namespace: required }),
  }) as Rule<never>;

const withSecret = (owner: Owner, rule: Rule<never>): Rule<never> =>
  all<object>(rule as Rule<object>, fields<{ secretRef: never }>({ secretRef: secretOf(owner) }) as Rule<object>);

const iscsiForms: readonly (readonly [prefix: string, form: RegExp])[] = [
  ['iqn', /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\s]+)$/],
  ['eui', /^eui.[a-zA-Z0-9]{16}$/],
  ['naa', /^naa.[a-zA-Z0-9]{32}$/],
];

/** An iSCSI name, in one of its three forms (RFC 3721). */
const iscsiName: Rule<string> = (value, path) => {
  const form = iscsiForms.find(([prefix]) => value.startsWith(prefix));
  if (!form) return [invalid(path, value, 'must be valid format starting with iqn, eui, or naa')];
  return form[1].test(value) ? [] : [invalid(path, value, 'must be valid format')];
};

interface Iscsi {
  readonly targetPortal: string;
  readonly iqn: string;
  readonly lun?: number | undefined;
  readonly initiatorName?: string | undefined;
  readonly chapAuthDiscovery?: boolean | undefined;
  readonly chapAuthSession?: boolean | undefined;
  readonly secretRef?: { readonly name?: string | undefined } | undefined;
}

/** What the kernel can keep of the portal, under the name of the volume. */
const portalBytesMax = 64;

/** Whether the name of the volume and its portal are too long together. */
export const isPortalTooLong = ({ initiatorName, targetPortal }: Iscsi, volumeName: string) =>
  initiatorName !== undefined && Buffer.byteLength(`${volumeName}:${targetPortal}`) > portalBytesMax;

export const portalTooLong =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

const iscsi =
  (owner: Owner): Rule<Iscsi> =>
  (source, path) => {
    const { iqn, initiatorName, secretRef } = source;
    const found: FieldCause[] = source.targetPortal ? [] : [requiredCause(`${path}.targetPortal`)];
    found.push(...(iqn ? iscsiName(iqn, `${path}.iqn`) : [requiredCause(`${path}.iqn`)]));
    found.push(...lun(source.lun ?? 0, `${path}.lun`));
    if ((source.chapAuthDiscovery || source.chapAuthSession) && !secretRef)
      found.push(requiredCause(`${path}.secretRef`));
    if (owner === 'persistentVolume' && secretRef && !secretRef.name)
      found.push(requiredCause(`${path}.secretRef.name`));
    if (initiatorName !== undefined) found.push(...iscsiName(initiatorName, `${path}.initiatorname`));
    return found;
  };

const glusterfsVolume = fields<{ endpoints: string; path: string; endpointsNamespace?: string | undefined }>({
  endpoints: required,
  path: required,
  endpointsNamespace: (value, path) =>
    value === ''
      ? [invalid(path, value, 'if the endpointnamespace is set, it must be a valid namespace name')]
      : dns1123Label(value).map((detail) => invalid(path, value, detail)),
});

const flocker: Rule<FlockerVolumeSource> = ({ datasetName = '', datasetUUID = '' }, path) => {
  const found: FieldCause[] = [];
  if (!datasetName && !datasetUUID) found.push(requiredCause(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName && datasetUUID)
    found.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName.includes('/')) found.push(invalid(`${path}.datasetName`, datasetName, "must not contain '/'"));
  return found;
};

const tenantBytesMax = 64;

const quobyte: Rule<QuobyteVolumeSource> = ({ registry, tenant = '', volume }, path) => {
  const pairs = 'must be a host:port pair or multiple pairs separated by commas';
  const found: FieldCause[] = [];
  if (!registry) found.push(requiredCause(`${path}.registry`, pairs));
  else if (Buffer.byteLength(tenant) > tenantBytesMax)
    found.push(requiredCause(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
  else {
    const wrong = registry.split(',').filter((pair) => !isHostAndPort(pair));
    found.push(...wrong.map(() => invalid(`${path}.registry`, registry, pairs)));
  }
  return volume ? found : [...found, requiredCause(`${path}.volume`)];
};

/** As Go's net.SplitHostPort takes them: a host without colons, or one in brackets; anything is a port. */
const isHostAndPort = (text: string) => /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(text);

const fc: Rule<FCVolumeSource> = ({ targetWWNs = [], wwids = [], lun: unit }, path) => {
  const at = `${path}.targetWWNs`;
  const found: FieldCause[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0)
    found.push(requiredCause(at, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length > 0 && wwids.length > 0)
    found.push(invalid(at, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (targetWWNs.length === 0) return found;
  if (unit === undefined) return [...found, requiredCause(`${path}.lun`, 'lun is required if targetWWNs is specified')];
  return [...found, ...lun(unit, `${path}.lun`)];
};

const flexVolume = fields<{ driver: string; options?: Record<string, string> | undefined }>({
  driver: required,
  options: eachKey<Record<string, string>>((key, path) =>
    /\.(kubernetes|k8s)\.io$/.test(`.${(key.split('/')[0] ?? '').toLowerCase()}`)
      ? [invalid(path, key, 'kubernetes.io and k8s.io namespaces are reserved')]
      : [],
  ),
});

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

const azureDisk: Rule<AzureDiskVolumeSource> = ({ diskName, diskURI, cachingMode, kind }, path) => {
  const at = `${path}.diskURI`;
  const found: FieldCause[] = diskName ? [] : [requiredCause(`${path}.diskName`)];
  if (!diskURI) found.push(requiredCause(at));
  if (cachingMode !== undefined)
    found.push(...oneOf('None', 'ReadOnly', 'ReadWrite')(cachingMode, `${path}.cachingMode`));
  if (kind === undefined) return found;
  found.push(...oneOf('Dedicated', 'Managed', 'Shared')(kind, `${path}.kind`));
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/'))
    found.push(notSupported(at, diskURI, [managedDisk]));
  if (kind !== 'Managed' && !diskURI.startsWith('https://')) found.push(notSupported(at, diskURI, [blobDisk]));
  return found;
};

const label: Rule<string> = (value, path) => dns1123Label(value).map((detail) => invalid(path, value, detail));

const storageos = fields<{ volumeName?: string; volumeNamespace?: string }>({
  volumeName: [required as Rule<string>, label],
  volumeNamespace: (value, path) => (value ? label(value, path) : []),
}) as Rule<never>;

/** The namespace, which only persistent volumes name, may be left out, but not be empty. */
const azureFile = all<{ secretNamespace?: string | undefined }>(
  needs('secretName', 'shareName') as Rule<object>,
  ({ secretNamespace }, path) => (secretNamespace === '' ? [requiredCause(`${path}.secretNamespace`)] : []),
);

/** Volumes of storage systems, by the name of their field. */
export function storageSystems(owner: Owner): Readonly<Record<string, Omit<SourceRule, 'name'>>> {
  return {
    hostPath: { rule: hostPath },
    nfs: { rule: nfs },
    gitRepo: { rule: gitRepo },
    gcePersistentDisk: { rule: disk('pdName'), checkedAs: 'persistentDisk' },
    awsElasticBlockStore: { rule: disk('volumeID') },
    iscsi: { rule: iscsi(owner) },
    glusterfs: { rule: owner === 'pod' ? needs('endpoints', 'path') : glusterfsVolume },
    flocker: { rule: flocker },
    rbd: { rule: needs('monitors', 'image') },
    cinder: { rule: withSecret(owner, needs('volumeID')) },
    cephfs: { rule: needs('monitors'), forbiddenAs: 'cephFS' },
    quobyte: { rule: quobyte },
    fc: { rule: fc },
    flexVolume: { rule: flexVolume },
    azureFile: { rule: azureFile },
    vsphereVolume: { rule: needs('volumePath') },
    photonPersistentDisk: { rule: needs('pdID') },
    portworxVolume: { rule: needs('volumeID') },
    azureDisk: { rule: azureDisk },
    storageos: { rule: withSecret(owner, storageos) },
    scaleIO: { rule: needs('gateway', 'system', 'volumeName') },
  };
}

/** The sources of a list in upstream's order. */
export function sourceRules(
  names: readonly string[],
  rules: Readonly<Record<string, Omit<SourceRule, 'name'>>>,
): readonly SourceRule[] {
  return names.map((name) => {
    const found = rules[name];
    if (!found) throw new Error(`there is no volume source ${JSON.stringify(name)}`);
    return { name, ...found };
  });
}
