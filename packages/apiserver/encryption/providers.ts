import { parseDuration, type Clock, type Logger } from '@kubernode/machinery';
import { aesCbc, aesGcm, secretbox } from './ciphers.ts';
import {
  parseGroupResource,
  type EncryptionConfiguration,
  type Key,
  type KmsProvider,
  type Provider,
} from './configuration.ts';
import { KmsTransformer } from './kms.ts';
import { kmsService } from './kms-service.ts';
import { byPrefix, identity, ofCipher, type Cipher, type Prefixed, type Transformer } from './transformer.ts';

/** What one configuration makes: who transforms which resource. */
export interface Transformers {
  /** The transformer of a resource's objects; `identity` where none is configured. */
  of(group: string, resource: string): Transformer;
  /** What is wrong with key management services, by their names. */
  problems(): string[];
  readonly usesKms: boolean;
  close(): void;
}

const kmsTimeoutDefault = '3s';

/** Asks key management services once; they may become well later. Throws where a resource is masked by a rule before it. */
export async function buildTransformers(
  { resources = [] }: EncryptionConfiguration,
  parts: { readonly clock: Clock; readonly log: Logger },
): Promise<Transformers> {
  const byResource = new Map<string, Prefixed[]>();
  const services: KmsTransformer[] = [];
  for (const { resources: names = [], providers = [] } of resources) {
    const built: Prefixed[] = [];
    for (const provider of providers) built.push(await prefixed(provider, parts, services));
    for (const name of names) {
      const key = keyOf(name);
      for (const masking of [`*.${parseGroupResource(name).group}`, '*.*']) {
        if (!byResource.has(masking)) continue;
        throw new Error(`resource ${JSON.stringify(name)} is masked by earlier rule ${JSON.stringify(masking)}`);
      }
      byResource.set(key, [...(byResource.get(key) ?? []), ...built]);
    }
  }
  const transformers = new Map([...byResource].map(([key, each]) => [key, byPrefix(each, 'no matching prefix found')]));
  return {
    usesKms: services.length > 0,
    of: (group, resource) =>
      transformers.get(`${resource}.${group}`) ?? transformers.get(`*.${group}`) ?? transformers.get('*.*') ?? identity,
    problems: () => services.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    close() {
      for (const service of services) service.close();
    },
  };
}

/** With the dot, also of the core group. */
function keyOf(name: string): string {
  const { group, resource } = parseGroupResource(name);
  return `${resource}.${group}`;
}

async function prefixed(
  { aesgcm, aescbc, secretbox: box, kms }: Provider,
  parts: { readonly clock: Clock; readonly log: Logger },
  services: KmsTransformer[],
): Promise<Prefixed> {
  if (aesgcm) return byKey('aesgcm', aesgcm.keys, aesGcm, 'AES');
  if (aescbc) return byKey('aescbc', aescbc.keys, aesCbc, 'AES');
  if (box) return byKey('secretbox', box.keys, secretbox, 'Secretbox');
  if (kms) return byService(kms, parts, services);
  return { prefix: '', transformer: identity };
}

function byKey(name: string, keys: readonly Key[] = [], cipher: (key: Buffer) => Cipher, kind: string): Prefixed {
  const prefix = `k8s:enc:${name}:v1:`;
  const each = keys.map((key) => ({
    prefix: `${key.name}:`,
    transformer: ofCipher(`${prefix}${key.name}:`, cipher(Buffer.from(key.secret, 'base64'))),
  }));
  return { prefix, transformer: byPrefix(each, `no matching key was found for the provided ${kind} transformer`) };
}

async function byService(
  { name, endpoint, timeout }: KmsProvider,
  parts: { readonly clock: Clock; readonly log: Logger },
  services: KmsTransformer[],
): Promise<Prefixed> {
  const service = kmsService(endpoint, parseDuration(timeout ?? kmsTimeoutDefault));
  const transformer = new KmsTransformer(name, service, parts);
  services.push(transformer);
  await transformer.start();
  return { prefix: `k8s:enc:kms:v2:${name}:`, transformer };
}
