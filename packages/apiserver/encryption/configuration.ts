import { decodeYaml } from '@kubernode/api';
import { Problems } from '../component-config/problems.ts';

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
  const problems = new Problems();
  for (const error of strictErrors) problems.add(error);
  if (resources.length === 0) problems.required('resources', 'at least one resources is required');
  const kmsNames = new Set<string>();
  resources.forEach(({ resources: names = [], providers = [] }, index) => {
    const path = `resources[${index}]`;
    for (const [field, list] of [['resources', names] as const, ['providers', providers] as const]) {
      if (list.length === 0) problems.required(`${path}.${field}`, `at least one ${path}.${field} is required`);
    }
    checkOverlap(names, `${path}.resources`, problems);
    names.forEach((name, at) => checkResource(name, `${path}.resources[${at}]`, problems));
    providers.forEach((provider, at) => checkProvider(provider, `${path}.providers[${at}]`, kmsNames, problems));
  });
  problems.throwIfAny();
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

function checkOverlap(names: readonly string[], path: string, problems: Problems): void {
  const parsed = names.map(parseGroupResource);
  if (new Set(names).size < names.length) {
    problems.invalid(path, names, 'the same resource cannot be specified multiple times');
  }
  const overlaps = parsed.some(
    ({ group, resource }, index) =>
      resource === '*' &&
      parsed.some(
        (other, at) => at !== index && (group === '*' || other.group === group) && names[at] !== names[index],
      ),
  );
  if (!overlaps) return;
  const why =
    "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
  problems.invalid(path, names, why);
}

function checkResource(name: string, path: string, problems: Problems): void {
  const why = resourceProblem(name);
  if (why !== undefined) problems.invalid(path, name, why);
}

function resourceProblem(name: string): string | undefined {
  const { group, resource } = parseGroupResource(name);
  if (/[A-Z]/.test(name)) return 'resource name should not contain capital letters';
  if (name === '*') {
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  }
  if (['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'].includes(name)) {
    return 'resources which do not have REST API/s cannot be encrypted';
  }
  if (group === 'events.k8s.io') {
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  }
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return undefined;
}

function checkProvider(provider: Provider, path: string, kmsNames: Set<string>, problems: Problems): void {
  const [name, ...more] = providerNames.filter((each) => provider?.[each] !== undefined && provider[each] !== null);
  if (name === undefined) {
    const why = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity';
    // What stands there under another name may be a secret.
    problems.invalid(path, {}, why);
  } else if (more.length > 0) {
    const why = 'more than one provider specified in a single element, should split into different list elements';
    problems.add(`${path}: Invalid value: ${why}`);
  } else if (name === 'kms') checkKms(provider.kms!, `${path}.kms`, kmsNames, problems);
  else if (name !== 'identity') {
    const keys = provider[name]!.keys ?? [];
    if (keys.length === 0) problems.required(`${path}.${name}.keys`, 'at least one keys is required');
    keys.forEach((key, at) => checkKey(key, `${path}.${name}.keys[${at}]`, keyLengths[name], problems));
  }
}

function checkKey({ name, secret }: Key, path: string, lengths: readonly number[], problems: Problems): void {
  if (!name) problems.required(`${path}.name`, 'name is a mandatory field for a key');
  if (!secret) {
    problems.required(`${path}.secret`, 'secret is a mandatory field for a key');
    return;
  }
  const redacted = (why: string) => problems.invalid(`${path}.secret`, 'REDACTED', why);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(secret) || secret.length % 4 !== 0) {
    redacted('secrets must be base64 encoded');
    return;
  }
  const { length } = Buffer.from(secret, 'base64');
  if (lengths.includes(length)) return;
  redacted(`secret is not of the expected length, got ${length}, expected one of [${lengths.join(' ')}]`);
}

function checkKms(provider: KmsProvider, path: string, names: Set<string>, problems: Problems): void {
  const { name, endpoint, apiVersion = 'v1', cachesize } = provider;
  if (!name) problems.required(`${path}.name`, 'name is a mandatory field for a provider');
  else if (apiVersion !== 'v1' && name.includes(':')) {
    problems.invalid(`${path}.name`, name, `invalid KMS provider name ${name}, must not contain ':'`);
  } else if (names.has(name)) {
    problems.invalid(`${path}.name`, name, `duplicate KMS provider name ${name}, names must be unique`);
  }
  names.add(name);
  if (!endpoint) problems.invalid(`${path}.endpoint`, '', 'endpoint is a mandatory field for a kms');
  else if (!endpoint.startsWith('unix:')) {
    const scheme = endpoint.split(':')[0];
    const why = `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`;
    problems.invalid(`${path}.endpoint`, endpoint, why);
  }
  const at = `${path}.apiVersion`;
  if (apiVersion !== 'v1' && apiVersion !== 'v2') {
    problems.invalid(
      at,
      apiVersion,
      'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
    );
  }
  if (apiVersion === 'v1') {
    problems.invalid(at, apiVersion, 'KMSv1 is deprecated and is not supported. Use KMSv2 instead');
  } else if (cachesize !== undefined) {
    problems.invalid(`${path}.cachesize`, cachesize, 'cachesize is not supported in v2');
  }
}
