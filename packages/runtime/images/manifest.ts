import { createHash } from 'node:crypto';

/** What the OCI image specification says of the JSON documents of an image, as far as it is used here. */
export interface Descriptor {
  readonly mediaType?: string;
  readonly digest: string;
  readonly size?: number;
  readonly platform?: Platform;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

export interface Manifest {
  readonly mediaType?: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

export interface Index {
  readonly mediaType?: string;
  readonly manifests: readonly Descriptor[];
}

export interface ImageConfig {
  readonly architecture?: string;
  readonly os?: string;
  readonly config?: {
    readonly User?: string;
    readonly Env?: readonly string[] | null;
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly WorkingDir?: string;
    readonly StopSignal?: string;
    readonly Labels?: Readonly<Record<string, string>> | null;
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

/** What a client of a registry accepts, the most telling first. */
export const manifestMediaTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
] as const;

export function sha256(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Throws where the bytes are not what the digest promises. */
export function verifyDigest(bytes: Uint8Array, digest: string, what: string): void {
  const algorithm = digest.startsWith('sha512:') ? 'sha512' : 'sha256';
  const actual = `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
  if (actual !== digest) throw new Error(`${what}: content has digest ${actual}, expected ${digest}`);
}

export function isIndex(document: Manifest | Index): document is Index {
  return 'manifests' in document && Array.isArray(document.manifests);
}

/** This machine's platform in Go's words, which images use. */
export function hostPlatform(): Platform {
  const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
  return { os: 'linux', architecture: architectures[process.arch] ?? process.arch };
}

/** The manifest of an index that fits the platform; one without a platform serves where none fits. */
export function selectManifest(index: Index, platform: Platform): Descriptor | undefined {
  const real = index.manifests.filter((entry) => entry.platform?.os !== 'unknown');
  return (
    real.find((entry) => entry.platform?.os === platform.os && entry.platform.architecture === platform.architecture) ??
    real.find((entry) => entry.platform === undefined)
  );
}

/** The identities of a stack of layers, bottom first (OCI image specification, "Layer ChainID"). Throws for no digest. */
export function chainIds(diffIds: readonly string[]): string[] {
  const chain: string[] = [];
  for (const diffId of diffIds) {
    // They name folders.
    if (!/^sha256:[0-9a-f]{64}$/.test(diffId)) throw new Error(`image configuration: "${diffId}" is not a digest`);
    const below = chain.at(-1);
    chain.push(below === undefined ? diffId : sha256(`${below} ${diffId}`));
  }
  return chain;
}
