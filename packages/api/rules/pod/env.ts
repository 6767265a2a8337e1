import {
  annotationKey,
  configMapKey,
  dns1123Label,
  dns1123Subdomain,
  qualifiedName,
  relaxedEnvVarName,
} from '@kubernode/machinery';
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  ObjectFieldSelector,
  PodSpec,
  ResourceFieldSelector,
  Volume,
} from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, notFound, notSupported, required as requiredCause } from '../cause.ts';
import { divisor } from '../resources/resources.ts';
import { all, evenIfAbsent, fields, foundIn, inOrder, type Rule } from '../rule.ts';
import { format, required } from '../values.ts';
import { containersAt } from './annotations.ts';
import { noBacksteps } from './paths.ts';

const podFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** What a field path can name at all; only some of it is offered at each place. */
const knownFields = new Set([
  ...podFields,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const envFields = podFields;
export const volumeFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

const entryPath = /^(metadata\.labels|metadata\.annotations)\['(.*)'\]$/s;
const noEntry: readonly string[] = [];

/** A field of the pod, `metadata.name` or `metadata.labels['app']`; `offered` are those to be had here. */
export function fieldRef(offered: readonly string[]): Rule<ObjectFieldSelector> {
  return ({ apiVersion, fieldPath }, path) => {
    if (!apiVersion) return [requiredCause(`${path}.apiVersion`)];
    if (!fieldPath) return [requiredCause(`${path}.fieldPath`)];
    const at = `${path}.fieldPath`;
    const [, map, key] = (fieldPath.endsWith("']") && entryPath.exec(fieldPath)) || noEntry;
    if (apiVersion !== 'v1')
      return [invalid(at, fieldPath, `error converting fieldPath: unsupported pod version: ${apiVersion}`)];
    if (map) {
      const messages = map === 'metadata.labels' ? qualifiedName(key ?? '') : annotationKey(key ?? '');
      return messages.map((detail) => invalid(path, key, detail));
    }
    if (!knownFields.has(fieldPath)) {
      return [invalid(at, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)];
    }
    return offered.includes(fieldPath) ? [] : [notSupported(at, fieldPath, offered)];
  };
}

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const isHugePagesField = (name: string) => /^(limits|requests)\.hugepages-/.test(name);

/** A container's own request or limit; a volume must say which container. */
export function resourceFieldRef({
  needsContainer,
}: {
  readonly needsContainer: boolean;
}): Rule<ResourceFieldSelector> {
  return ({ containerName, resource, divisor: unit }, path) => {
    const found: FieldCause[] = [];
    if (needsContainer && !containerName) found.push(requiredCause(`${path}.containerName`));
    else if (!resource) found.push(requiredCause(`${path}.resource`));
    else if (!resources.includes(resource) && !isHugePagesField(resource)) {
      found.push(notSupported(`${path}.resource`, resource, resources));
    }
    return unit === undefined ? found : [...found, ...divisor(resource)(unit, `${path}.divisor`)];
  };
}

const anyKey = fields<ConfigMapKeySelector>({
  name: evenIfAbsent((name: string | undefined, path) => format(dns1123Subdomain)(name ?? '', path)),
  key: [required, format(configMapKey)],
});

const fileKeyRef: Rule<FileKeySelector> = ({ key, path: filePath, volumeName }, path) => {
  const found: FieldCause[] = [];
  if (key) found.push(...relaxedEnvVarName(key).map((detail) => invalid(`${path}.key`, key, detail)));
  else found.push(requiredCause(`${path}.key`));
  if (volumeName) found.push(...format(dns1123Label)(volumeName, `${path}.volumeName`));
  else found.push(requiredCause(`${path}.volumeName`));
  if (filePath) found.push(...noBacksteps(filePath, `${path}.path`));
  else found.push(requiredCause(`${path}.path`));
  return found;
};

/** The volume of a file with variables is there, and made for the pod alone. */
export const fileVolumes: Rule<PodSpec> = (spec, path) => {
  let volumes: ReadonlyMap<string, Volume> | undefined;
  return foundIn(containersAt(spec, path), ({ container: { env = [] }, at }) =>
    foundIn(env, ({ valueFrom: from }, index) => {
      if (!from?.fileKeyRef) return [];
      const { volumeName } = from.fileKeyRef;
      const field = `${at}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      volumes ??= new Map(spec.volumes?.map((one) => [one.name, one]));
      const volume = volumes.get(volumeName);
      if (!volume) return [notFound(field, volumeName)];
      return volume.emptyDir ? [] : [invalid(field, volumeName, 'referenced volume must be of type emptyDir')];
    }),
  );
};

const sourceNames = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

const sources = fields<EnvVarSource>({
  fieldRef: fieldRef(envFields),
  resourceFieldRef: resourceFieldRef({ needsContainer: false }),
  configMapKeyRef: anyKey,
  secretKeyRef: anyKey,
  fileKeyRef,
});

/** One variable: a value, or one source of it. */
export const envVar: Rule<EnvVar> = all<EnvVar>(
  fields<EnvVar>({ name: [required, format(relaxedEnvVarName)] }),
  ({ value, valueFrom: from }, path) => {
    if (!from) return [];
    const at = `${path}.valueFrom`;
    const count = sourceNames.filter((name) => from[name]).length;
    const found = [...sources(from, at)];
    if (count === 0) {
      const names = sourceNames.map((name) => `\`${name}\``).join(', ');
      found.push(invalid(at, '', `must specify one of: ${names}`));
    } else if (value) found.push(invalid(at, '', 'may not be specified when `value` is not empty'));
    else if (count > 1) found.push(invalid(at, '', 'may not have more than one field specified at a time'));
    return found;
  },
);

const namedSource = fields<{ name?: string | undefined }>({
  name: inOrder<string>([required as Rule<string>, format(dns1123Subdomain)]),
});

/** All keys of a ConfigMap or Secret; the causes of a missing or double source are at the list itself, as upstream's. */
export const envFrom: Rule<readonly EnvFromSource[]> = (list, path) =>
  list.flatMap((source, index) => {
    const at = `${path}[${index}]`;
    const { prefix, configMapRef, secretRef } = source;
    const found: FieldCause[] = [];
    if (prefix) found.push(...relaxedEnvVarName(prefix).map((detail) => invalid(`${at}.prefix`, prefix, detail)));
    if (configMapRef) found.push(...namedSource(configMapRef, `${at}.configMapRef`));
    if (secretRef) found.push(...namedSource(secretRef, `${at}.secretRef`));
    if (!configMapRef && !secretRef) {
      found.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    }
    if (configMapRef && secretRef)
      found.push(invalid(path, '', 'may not have more than one field specified at a time'));
    return found;
  });
