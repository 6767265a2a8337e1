import { decodeYaml } from '@kubernode/api';

export interface Key {
  readonly name: string;
  /** Base64. */
  readonly secret: string;
}

export interface KmsProvider {
  readonly apiVersion?: string;
  readonly name: string;
  /** unix:///path/to/socket */
  readonly endpoint: string;
  /** Go's notation; 3s. */
  readonly timeout?: string;
  readonly cachesize?: number;
}

interface Keys {
  readonly keys?: readonly Key[];
}

/** Exactly one is given. */
export interface Provider {
  readonly aesgcm?: Keys;
  readonly aescbc?: Keys;
  readonly secretbox?: Keys;
  readonly kms?: KmsProvider;
  readonly identity?: object;
}

/** apiserver.config.k8s.io/v1 EncryptionConfiguration. */
export interface EncryptionConfiguration {
  readonly resources?: readonly {
    /** `secrets`, `events.apps`, `*.`, `*.apps`, `*.*`. */
    readonly resources?: readonly string[];
    readonly providers?: readonly Provider[];
  }[];
}

const providerNames = ['kms', 'aesgcm', 'aescbc', 'secretbox', 'identity'] as const;
const keyLengths = { aesgcm: [16, 24, 32], aescbc: [16, 24, 32], secretbox: [32] } as const;

/** Throws Error with all that is wrong, by its path. */
export function parseEncryption(text: string): EncryptionConfiguration {
  const { value, strictErrors } = decodeYaml(text);
  const configuration = value as (EncryptionConfiguration & { apiVersion?: string; kind?: string }) | null;
  if (configuration?.apiVersion !== 'apiserver.config.k8s.io/v1' || configuration.kind !== 'EncryptionConfiguration') {
    const found = `${String(configuration?.apiVersion)} ${String(configuration?.kind)}`;
    throw new Error(`expected apiserver.config.k8s.io/v1 EncryptionConfiguration, found ${found}`);
  }
  const { resources = [] } = configuration;
  const wrong = [
    ...strictErrors,
    ...(resources.length === 0 ? ['resources: Required value: at least one resources is required'] : []),
  ];
  const kmsNames = new Set<string>();
  resources.forEach(({ resources: names = [], providers = [] }, index) => {
    const path = `resources[${index}]`;
    if (names.length === 0) wrong.push(`${path}.resources: Required value: at least one ${path}.resources is required`);
    if (providers.length === 0) {
      wrong.push(`${path}.providers: Required value: at least one ${path}.providers is required`);
    }
    wrong.push(...wrongOverlap(names, `${path}.resources`));
    names.forEach((name, at) => wrong.push(...wrongResource(name, `${path}.resources[${at}]`)));
    providers.forEach((provider, at) => wrong.push(...wrongProvider(provider, `${path}.providers[${at}]`, kmsNames)));
  });
  if (wrong.length > 0) throw new Error(wrong.length === 1 ? wrong[0] : `[${wrong.join(', ')}]`);
  return configuration;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `pods` → core, `deployments.apps` → apps, `*.` → all of core. */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf('.');
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

const invalid = (path: string, value: unknown, why: string) =>
  `${path}: Invalid value: ${JSON.stringify(value)}: ${why}`;

function wrongOverlap(names: readonly string[], path: string): string[] {
  const parsed = names.map(parseGroupResource);
  const wrong: string[] = [];
  if (new Set(names).size < names.length) {
    wrong.push(invalid(path, names, 'the same resource cannot be specified multiple times'));
  }
  const overlaps = parsed.some(
    ({ group, resource }, index) =>
      resource === '*' &&
      parsed.some(
        (other, at) => at !== index && (group === '*' || other.group === group) && names[at] !== names[index],
      ),
  );
  if (overlaps) {
    const why =
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
    wrong.push(invalid(path, names, why));
  }
  return wrong;
}

function wrongResource(name: string, path: string): string[] {
  const { group, resource } = parseGroupResource(name);
  if (/[A-Z]/.test(name)) return [invalid(path, name, 'resource name should not contain capital letters')];
  if (name === '*') {
    const why = "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
    return [invalid(path, name, why)];
  }
  if (['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'].includes(name)) {
    return [invalid(path, name, 'resources which do not have REST API/s cannot be encrypted')];
  }
  if (group === 'events.k8s.io') {
    const why =
      "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
    return [invalid(path, name, why)];
  }
  if (group === 'extensions') {
    return [invalid(path, name, "'extensions' group has been removed and cannot be used for encryption")];
  }
  if (group === '*' && resource !== '*') {
    return [invalid(path, name, 'encrypting the same resource across groups is not supported')];
  }
  return [];
}

function wrongProvider(provider: Provider, path: string, kmsNames: Set<string>): string[] {
  const given = providerNames.filter((name) => provider?.[name] !== undefined && provider[name] !== null);
  if (given.length === 0) {
    const why = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity';
    return [invalid(path, provider, why)];
  }
  if (given.length > 1) {
    const why = 'more than one provider specified in a single element, should split into different list elements';
    return [`${path}: Invalid value: ${why}`];
  }
  const [name] = given;
  if (name === 'identity') return [];
  if (name === 'kms') return wrongKms(provider.kms!, `${path}.kms`, kmsNames);
  const keys = provider[name!]!.keys ?? [];
  if (keys.length === 0) return [`${path}.${name}.keys: Required value: at least one keys is required`];
  return keys.flatMap((key, at) => wrongKey(key, `${path}.${name}.keys[${at}]`, keyLengths[name!]));
}

function wrongKey({ name, secret }: Key, path: string, lengths: readonly number[]): string[] {
  const wrong = name ? [] : [`${path}.name: Required value: name is a mandatory field for a key`];
  if (!secret) return [...wrong, `${path}.secret: Required value: secret is a mandatory field for a key`];
  const redacted = (why: string) => [...wrong, invalid(`${path}.secret`, 'REDACTED', why)];
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(secret) || secret.length % 4 !== 0) {
    return redacted('secrets must be base64 encoded');
  }
  const { length } = Buffer.from(secret, 'base64');
  if (lengths.includes(length)) return wrong;
  return redacted(`secret is not of the expected length, got ${length}, expected one of [${lengths.join(' ')}]`);
}

function wrongKms(
  { name, endpoint, apiVersion = 'v1', cachesize }: KmsProvider,
  path: string,
  names: Set<string>,
): string[] {
  const wrong: string[] = [];
  if (!name) wrong.push(`${path}.name: Required value: name is a mandatory field for a provider`);
  else if (apiVersion !== 'v1' && name.includes(':')) {
    wrong.push(invalid(`${path}.name`, name, `invalid KMS provider name ${name}, must not contain ':'`));
  } else if (names.has(name)) {
    const why = `duplicate KMS provider name ${name}, names must be unique`;
    wrong.push(invalid(`${path}.name`, name, why));
  }
  names.add(name);
  if (!endpoint) wrong.push(invalid(`${path}.endpoint`, '', 'endpoint is a mandatory field for a kms'));
  else if (!endpoint.startsWith('unix:')) {
    const scheme = endpoint.split(':')[0];
    const why = `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`;
    wrong.push(invalid(`${path}.endpoint`, endpoint, why));
  }
  if (apiVersion !== 'v1' && apiVersion !== 'v2') {
    const why = 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported';
    wrong.push(invalid(`${path}.apiVersion`, apiVersion, why));
  }
  if (apiVersion === 'v1') {
    const why = 'KMSv1 is deprecated and is not supported. Use KMSv2 instead';
    wrong.push(invalid(`${path}.apiVersion`, apiVersion, why));
  } else if (cachesize !== undefined) {
    wrong.push(invalid(`${path}.cachesize`, cachesize, 'cachesize is not supported in v2'));
  }
  return wrong;
}
