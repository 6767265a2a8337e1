import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readJson } from '../host/files.ts';
import {
  type Descriptor,
  hostPlatform,
  type Index,
  isIndex,
  type Manifest,
  selectManifest,
  sha256,
  verifyDigest,
} from './manifest.ts';
import type { ImageSource } from './source.ts';

/** One entry of docker-save's manifest.json. */
interface SavedImage {
  readonly Config: string;
  readonly RepoTags: readonly string[] | null;
  readonly Layers: readonly string[];
}

const nameAnnotations = ['io.containerd.image.name', 'org.opencontainers.image.ref.name'];

/** The images of a folder: docker-save's form (manifest.json) or an OCI image layout (index.json). Throws if neither. */
export async function readImageFolder(folder: string): Promise<ImageSource[]> {
  const saved = await readJson<readonly SavedImage[]>(join(folder, 'manifest.json'));
  if (Array.isArray(saved)) return Promise.all(saved.map((image: SavedImage) => savedImage(folder, image)));
  const index = await readJson<Index>(join(folder, 'index.json'));
  if (!index || !isIndex(index)) {
    throw new Error(`load images from "${basename(folder)}": neither manifest.json (docker save) nor index.json (OCI)`);
  }
  return layoutImages(folder, index);
}

async function savedImage(folder: string, image: SavedImage): Promise<ImageSource> {
  const config = await readFile(inside(folder, image.Config));
  const promised = /([0-9a-f]{64})(?:\.json)?$/.exec(image.Config)?.[1];
  if (promised) verifyDigest(config, `sha256:${promised}`, `image configuration ${image.Config}`);
  return {
    config,
    manifestDigest: undefined,
    names: image.RepoTags ?? [],
    layer: async (index) => inside(folder, image.Layers[index] ?? ''),
  };
}

async function layoutImages(folder: string, index: Index): Promise<ImageSource[]> {
  const groups = new Map<string, { descriptor: Descriptor; names: string[] }>();
  for (const descriptor of index.manifests) {
    const group = groups.get(descriptor.digest) ?? { descriptor, names: [] };
    const name = nameAnnotations.map((key) => descriptor.annotations?.[key]).find(Boolean);
    if (name) group.names.push(name);
    groups.set(descriptor.digest, group);
  }
  const all = [...groups.values()];
  const platform = hostPlatform();
  const fits = ({ descriptor: { platform: own } }: (typeof all)[number]) =>
    !own || (own.os === platform.os && own.architecture === platform.architecture);
  if (all.length > 0 && !all.some(fits)) {
    throw new Error(`load images: none is for platform ${platform.os}/${platform.architecture}`);
  }
  return Promise.all(all.filter(fits).map((group) => layoutImage(folder, group.descriptor, group.names)));
}

async function layoutImage(folder: string, descriptor: Descriptor, names: readonly string[]): Promise<ImageSource> {
  const document = await readDocument(folder, descriptor.digest);
  if (isIndex(document)) {
    const chosen = selectManifest(document, hostPlatform());
    if (!chosen) throw new Error(`load image ${descriptor.digest}: no manifest for ${hostPlatform().architecture}`);
    return layoutImage(folder, chosen, names);
  }
  const config = await readBlob(folder, document.config.digest);
  return {
    config,
    manifestDigest: descriptor.digest,
    names,
    layer: async (index) => {
      const path = blobPath(folder, document.layers[index]?.digest ?? '');
      await stat(path);
      return path;
    },
  };
}

async function readDocument(folder: string, digest: string): Promise<Manifest | Index> {
  return JSON.parse((await readBlob(folder, digest)).toString()) as Manifest | Index;
}

async function readBlob(folder: string, digest: string): Promise<Buffer> {
  const bytes = await readFile(blobPath(folder, digest));
  if (digest.startsWith('sha256:') && sha256(bytes) !== digest) verifyDigest(bytes, digest, `blob ${digest}`);
  return bytes;
}

function blobPath(folder: string, digest: string): string {
  if (!/^sha(256|512):[0-9a-f]+$/.test(digest)) throw new Error(`load image: "${digest}" is not a digest`);
  return join(folder, 'blobs', ...digest.split(':'));
}

function inside(folder: string, path: string): string {
  if (path === '' || path.startsWith('/') || path.split('/').includes('..')) {
    throw new Error(`load image: path "${path}" leads out of the archive`);
  }
  return join(folder, path);
}
