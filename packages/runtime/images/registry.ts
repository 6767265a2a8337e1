import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CriError } from '@kubernode/api/cri';
import type { Dispatcher } from 'undici';
import {
  hostPlatform,
  type Index,
  isIndex,
  type Manifest,
  manifestMediaTypes,
  selectManifest,
  sha256,
} from './manifest.ts';
import { verifyDigest } from './manifest.ts';
import { formatReference, type Reference } from './reference.ts';
import { authorize, type RegistryCredentials } from './registry-auth.ts';
import type { ImageSource } from './source.ts';

export interface RegistryOptions {
  readonly credentials?: RegistryCredentials | undefined;
  /** Hosts (with port) that are spoken to without TLS; loopback always may be. */
  readonly insecureRegistries?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const manifestBytesMax = 4 * 1024 * 1024;
const redirectsMax = 5;
const headersTimeoutMs = 30_000;

/**
 * Speaks the distribution API (OCI distribution specification): resolves the reference for this machine's platform;
 * layers are fetched into `folder` when asked for. Every digest is verified. Throws CriError NotFound where the registry
 * does not know the image, Unauthenticated where it wants (other) credentials.
 */
export async function fetchImage(reference: Reference, folder: string, options: RegistryOptions): Promise<ImageSource> {
  const registry = new Registry(reference, options);
  const wanted = reference.digest ?? reference.tag ?? 'latest';
  let bytes = await registry.small(`manifests/${wanted}`);
  if (reference.digest) verifyDigest(bytes, reference.digest, formatReference(reference));
  let digest = sha256(bytes);
  const topDigest = digest;
  let document = JSON.parse(bytes.toString()) as Manifest | Index;
  if (isIndex(document)) {
    const platform = hostPlatform();
    const chosen = selectManifest(document, platform);
    if (!chosen) {
      const message = `no match for platform in manifest: ${formatReference(reference)} has none for`;
      throw new CriError('NotFound', `${message} ${platform.os}/${platform.architecture}`);
    }
    digest = chosen.digest;
    bytes = await registry.small(`manifests/${digest}`);
    verifyDigest(bytes, digest, `manifest of ${formatReference(reference)}`);
    document = JSON.parse(bytes.toString()) as Manifest;
  }
  const manifest = document as Manifest;
  const config = await registry.small(`blobs/${manifest.config.digest}`);
  verifyDigest(config, manifest.config.digest, `configuration of ${formatReference(reference)}`);
  return {
    config,
    manifestDigest: topDigest,
    names: [formatReference(reference)],
    layer: async (index) => {
      const layer = manifest.layers[index];
      if (!layer) throw new Error(`pull ${formatReference(reference)}: the manifest has no layer ${index}`);
      const path = join(folder, String(index));
      await registry.download(layer.digest, path);
      return path;
    },
  };
}

class Registry {
  readonly #reference: Reference;
  readonly #options: RegistryOptions;
  #authorization: string | undefined;

  constructor(reference: Reference, options: RegistryOptions) {
    this.#reference = reference;
    this.#options = options;
  }

  /** A manifest or configuration. */
  async small(path: string): Promise<Buffer> {
    const body = await this.#get(path);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > manifestBytesMax) throw new Error(`pull ${this.#name()}: ${path} is larger than 4 MiB`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  async download(digest: string, target: string): Promise<void> {
    const algorithm = digest.startsWith('sha512:') ? 'sha512' : 'sha256';
    const hash = createHash(algorithm);
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    await pipeline(await this.#get(`blobs/${digest}`), hashing, createWriteStream(target));
    const actual = `${algorithm}:${hash.digest('hex')}`;
    if (actual !== digest) throw new Error(`pull ${this.#name()}: layer has digest ${actual}, expected ${digest}`);
  }

  async #get(path: string): Promise<Dispatcher.ResponseData['body']> {
    const url = new URL(`${this.#origin()}/v2/${this.#reference.path}/${path}`);
    let response = await this.#request(url);
    if (response.statusCode === 401 && this.#authorization === undefined) {
      await response.body.dump();
      const challenge = String(response.headers['www-authenticate'] ?? '');
      this.#authorization = await authorize(challenge, this.#reference.path, this.#options);
      response = await this.#request(url);
    }
    if (response.statusCode === 200) return response.body;
    await response.body.dump();
    if (response.statusCode === 404) throw new CriError('NotFound', `${this.#name()}: not found`);
    if (response.statusCode === 401 || response.statusCode === 403) {
      const why = 'pull access denied, repository does not exist or may require authorization';
      throw new CriError('Unauthenticated', `${this.#name()}: ${why}: the registry answered ${response.statusCode}`);
    }
    throw new CriError(
      'Unavailable',
      `pull ${this.#name()}: the registry answered ${response.statusCode} to ${url.pathname}`,
    );
  }

  /** Follows redirects; credentials go to the registry's own host only. */
  async #request(start: URL): Promise<Dispatcher.ResponseData> {
    const { request } = await import('undici');
    let url = start;
    for (let hop = 0; hop <= redirectsMax; hop++) {
      const own = url.host === start.host;
      const response = await request(url, {
        headers: {
          accept: manifestMediaTypes.join(', '),
          'user-agent': 'kubernode',
          ...(own && this.#authorization ? { authorization: this.#authorization } : {}),
        },
        headersTimeout: headersTimeoutMs,
        signal: this.#options.signal ?? null,
      }).catch((error: Error) => {
        throw new CriError('Unavailable', `pull ${this.#name()}: ${url.host}: ${error.message}`, { cause: error });
      });
      const { location } = response.headers;
      if (response.statusCode < 300 || response.statusCode >= 400 || !location) return response;
      await response.body.dump();
      url = new URL(String(location), url);
    }
    throw new CriError('Unavailable', `pull ${this.#name()}: more than ${redirectsMax} redirects`);
  }

  #origin(): string {
    const { domain } = this.#reference;
    if (domain === 'docker.io') return 'https://registry-1.docker.io';
    return `${isInsecure(domain, this.#options.insecureRegistries) ? 'http' : 'https'}://${domain}`;
  }

  #name(): string {
    return formatReference(this.#reference);
  }
}

function isInsecure(domain: string, configured: readonly string[] = []): boolean {
  const host = domain.replace(/:\d+$/, '');
  return configured.includes(domain) || host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host);
}
