import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { CriError } from '@kubernode/api/cri';
import type { Logger } from '@kubernode/machinery';
import { readJson, writeJson } from '../host/files.ts';
import { createKeyedQueue } from '../host/limit.ts';
import { extractArchive } from './archive.ts';
import { unpackLayer } from './layer.ts';
import { readImageFolder } from './layout.ts';
import { chainIds, type ImageConfig, sha256 } from './manifest.ts';
import { formatReference, parseReference } from './reference.ts';
import { fetchImage, type RegistryOptions } from './registry.ts';
import type { ImageSource } from './source.ts';

/** An image that is unpacked and ready to use. */
export interface ImageRecord {
  /** Digest of its configuration: the image's identity. */
  readonly id: string;
  /** Full references with a tag. */
  readonly tags: readonly string[];
  /** Full references with the manifest's digest. */
  readonly digests: readonly string[];
  /** Of the unpacked files. */
  readonly sizeBytes: number;
  /** Folders under `layers`, bottom first. */
  readonly layers: readonly string[];
  readonly config: ImageConfig;
}

export interface ImageStoreOptions {
  readonly folder: string;
  readonly log: Logger;
  readonly registry: RegistryOptions;
  /** Names a container that uses the image, if any does: such an image is not removed. */
  readonly userOf: (imageId: string) => string | undefined;
}

/** The first digits of an identity, as lists of images show them. */
const shortIdPattern = /^[0-9a-f]{6,63}$/;

/** Images by name and identity, their layers unpacked once each. One process uses a folder at a time. */
export class ImageStore {
  readonly layersFolder: string;
  readonly #options: ImageStoreOptions;
  readonly #records = new Map<string, ImageRecord>();
  readonly #queue = createKeyedQueue();
  /** Images that are on their way in: their layers are not yet any record's. */
  #arriving = 0;

  private constructor(options: ImageStoreOptions) {
    this.#options = options;
    this.layersFolder = join(options.folder, 'layers');
  }

  static async open(options: ImageStoreOptions): Promise<ImageStore> {
    const store = new ImageStore(options);
    await mkdir(store.layersFolder, { recursive: true, mode: 0o700 });
    await rm(join(options.folder, 'incoming'), { recursive: true, force: true });
    const saved = await readJson<readonly ImageRecord[]>(store.#indexPath());
    for (const record of saved ?? []) store.#records.set(record.id, record);
    await store.#dropUnusedLayers();
    return store;
  }

  list(): ImageRecord[] {
    return [...this.#records.values()];
  }

  /** By identity (or its first digits), tag or digest; undefined where it is not here. Throws for what is no reference. */
  find(reference: string): ImageRecord | undefined {
    const direct = this.#records.get(reference) ?? this.#records.get(`sha256:${reference}`);
    if (direct || reference === '') return direct;
    const name = fullName(reference);
    const named = this.list().find((record) => record.tags.includes(name) || record.digests.includes(name));
    if (named || !shortIdPattern.test(reference)) return named;
    const fits = this.list().filter((record) => record.id.startsWith(`sha256:${reference}`));
    return fits.length === 1 ? fits[0] : undefined;
  }

  /** Takes in every image of an archive (docker save, OCI) or OCI layout folder; answers their names. */
  async load(path: string, options: { readonly name?: string } = {}): Promise<string[]> {
    const isFolder = (await stat(path)).isDirectory();
    return this.#incoming(async (temporary) => {
      if (!isFolder) await extractArchive(path, temporary);
      const loaded: string[] = [];
      for (const source of await readImageFolder(isFolder ? path : temporary)) {
        const names = options.name === undefined ? source.names.filter(isFullName) : [options.name];
        const record = await this.#install(source, names.map(fullName));
        loaded.push(...(names.length > 0 ? names.map(fullName) : [record.id]));
      }
      return loaded;
    });
  }

  /** Fetches an image from its registry, whatever is here already; answers its record. */
  async pull(reference: string, options: Omit<RegistryOptions, 'insecureRegistries'> = {}): Promise<ImageRecord> {
    const parsed = parseReference(reference);
    return this.#incoming(async (temporary) => {
      const source = await fetchImage(parsed, temporary, { ...this.#options.registry, ...options });
      return this.#install(source, parsed.digest ? [] : [formatReference(parsed)], parsed.name);
    });
  }

  /** Removes a name; with the last name, or by identity, the image. Throws FailedPrecondition while it is in use. */
  async remove(reference: string): Promise<void> {
    await this.#queue('index', async () => {
      const record = this.find(reference);
      if (!record) return;
      const tags = record.tags.filter((tag) => reference.startsWith('sha256:') || tag !== fullName(reference));
      if (tags.length > 0 && tags.length < record.tags.length) {
        this.#records.set(record.id, { ...record, tags });
        return this.#save();
      }
      const user = this.#options.userOf(record.id);
      if (user) throw new CriError('FailedPrecondition', `image "${reference}" is in use by container ${user}`);
      this.#records.delete(record.id);
      await this.#save();
      await this.#dropUnusedLayers();
    });
  }

  /** Bytes and files that the layers take, and where. */
  async usage(): Promise<{ folder: string; usedBytes: number; inodes: number }> {
    const sizes = this.list().reduce((sum, record) => sum + record.sizeBytes, 0);
    const { files, ffree } = await statfs(this.#options.folder);
    return { folder: this.#options.folder, usedBytes: sizes, inodes: files - ffree };
  }

  async #install(source: ImageSource, tags: readonly string[], repository?: string): Promise<ImageRecord> {
    const config = JSON.parse(source.config.toString()) as ImageConfig;
    const chain = chainIds(config.rootfs.diff_ids);
    const layers = chain.map((id) => id.slice('sha256:'.length, 'sha256:'.length + 24));
    let sizeBytes = 0;
    for (const [index, layer] of layers.entries()) {
      const below = layers.slice(0, index).reverse();
      sizeBytes += await this.#queue(layer, () => this.#unpack(source, index, layer, below, config));
    }
    const id = sha256(source.config);
    const names = repository ? [repository] : tags.map((tag) => parseReference(tag).name);
    const digests = source.manifestDigest ? names.map((name) => `${name}@${source.manifestDigest}`) : [];
    return this.#queue('index', async () => {
      for (const [otherId, other] of this.#records) {
        if (other.tags.some((tag) => tags.includes(tag))) {
          this.#records.set(otherId, { ...other, tags: other.tags.filter((tag) => !tags.includes(tag)) });
        }
      }
      const known = this.#records.get(id);
      const record = {
        id,
        tags: [...new Set([...(known?.tags ?? []), ...tags])],
        digests: [...new Set([...(known?.digests ?? []), ...digests])],
        sizeBytes,
        layers,
        config,
      };
      this.#records.set(id, record);
      await this.#save();
      return record;
    });
  }

  async #unpack(
    source: ImageSource,
    index: number,
    layer: string,
    below: string[],
    config: ImageConfig,
  ): Promise<number> {
    const folder = join(this.layersFolder, layer);
    const known = await readJson<{ sizeBytes: number }>(`${folder}.json`);
    if (known) return known.sizeBytes;
    const temporary = `${folder}.${randomBytes(4).toString('hex')}.tmp`;
    await mkdir(temporary, { mode: 0o755 });
    try {
      const sizeBytes = await unpackLayer({
        blobPath: await source.layer(index),
        diffId: config.rootfs.diff_ids[index] ?? '',
        lower: below.map((name) => join(this.layersFolder, name)),
        target: temporary,
      });
      await rm(folder, { recursive: true, force: true });
      await rename(temporary, folder);
      await writeJson(`${folder}.json`, { sizeBytes });
      return sizeBytes;
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      throw error;
    }
  }

  /** Unpacked layers that no image has, and what a crash left half made; waits for a quiet moment. */
  async #dropUnusedLayers(): Promise<void> {
    if (this.#arriving > 0) return;
    const used = new Set(this.list().flatMap((record) => record.layers));
    for (const name of await readdir(this.layersFolder)) {
      if (used.has(name.replace(/\.json$/, ''))) continue;
      await rm(join(this.layersFolder, name), { recursive: true, force: true });
    }
  }

  async #incoming<Value>(task: (folder: string) => Promise<Value>): Promise<Value> {
    const folder = join(this.#options.folder, 'incoming', randomBytes(6).toString('hex'));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#arriving++;
    try {
      return await task(folder);
    } finally {
      this.#arriving--;
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #save(): Promise<void> {
    await writeJson(this.#indexPath(), this.list());
  }

  #indexPath(): string {
    return join(this.#options.folder, 'images.json');
  }
}

function fullName(reference: string): string {
  return formatReference(parseReference(reference));
}

/** OCI layouts may name an image by a bare tag, which says nothing without its repository. */
function isFullName(name: string): boolean {
  return /[/:]/.test(name);
}
