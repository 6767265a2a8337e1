import { createReadStream } from 'node:fs';
import { posix } from 'node:path';
import type { Extract, Header, Pack } from 'tar-stream';
import { LowerFiles } from './lower-files.ts';

const whiteoutPrefix = '.wh.';
const opaqueName = '.wh..wh..opq';
/** PAX records that are passed on: large ids, and the extended attributes that an image may bring along. */
const keptPaxPattern = /^(?:uid|gid)$|^SCHILY\.xattr\.(?:security\.capability|user\.)/;

/**
 * Copies a layer's entries from `source` to `target`, turning whiteouts into what overlayfs reads. Answers the bytes of
 * the files. Throws for a name with `..`.
 */
export async function rewriteLayer(source: Extract, target: Pack, lowerFolders: readonly string[]): Promise<number> {
  const layer = new LayerWriter(target, new LowerFiles(lowerFolders));
  for await (const entry of source as AsyncIterable<NodeJS.ReadableStream & { header: Header; resume(): unknown }>) {
    await layer.add(entry.header, entry);
  }
  await layer.finish();
  target.finalize();
  return layer.sizeBytes;
}

type Entry = { readonly [Key in keyof Header]?: Header[Key] | undefined } & { readonly name: string };

class LayerWriter {
  sizeBytes = 0;
  readonly #target: Pack;
  readonly #lower: LowerFiles;
  readonly #seen = new Set<string>();
  readonly #opaque: string[] = [];

  constructor(target: Pack, lower: LowerFiles) {
    this.#target = target;
    this.#lower = lower;
  }

  async add(header: Header, content: NodeJS.ReadableStream & { resume(): unknown }): Promise<void> {
    const path = cleanPath(header.name, 'entry');
    const name = posix.basename(path);
    const parent = posix.dirname(path);
    if (name === opaqueName) this.#opaque.push(parent);
    else if (name.startsWith(whiteoutPrefix)) await this.#hide(posix.join(parent, name.slice(whiteoutPrefix.length)));
    else if (path !== '.') {
      await this.#parents(parent);
      if (header.type === 'link') await this.#link(path, header);
      else return this.#copy(path, header, content);
    } else await this.#entry({ ...keep(header), name: './' });
    content.resume();
  }

  /** An opaque folder hides each name of the layers below that this layer does not have itself. */
  async finish(): Promise<void> {
    for (const folder of this.#opaque) {
      for (const name of await this.#lower.names(folder)) {
        const path = posix.join(folder, name);
        if (!this.#seen.has(path)) await this.#hide(path);
      }
    }
  }

  async #hide(path: string): Promise<void> {
    if (this.#seen.has(path) || !(await this.#lower.find(path))) return;
    await this.#parents(posix.dirname(path));
    this.#seen.add(path);
    await this.#entry({ name: path, type: 'character-device', mode: 0o644, devmajor: 0, devminor: 0 });
  }

  /** A folder that only the layers below have keeps its owner and mode. */
  async #parents(folder: string): Promise<void> {
    if (folder === '.' || this.#seen.has(folder)) return;
    await this.#parents(posix.dirname(folder));
    this.#seen.add(folder);
    const below = await this.#lower.find(folder);
    const stats = below?.stats.isDirectory() ? below.stats : undefined;
    const mode = stats ? stats.mode & 0o7777 : 0o755;
    await this.#entry({
      name: `${folder}/`,
      type: 'directory',
      mode,
      uid: stats?.uid ?? 0,
      gid: stats?.gid ?? 0,
      ...(stats ? { mtime: stats.mtime } : {}),
    });
  }

  /** A hard link to a file of a layer below becomes a copy. */
  async #link(path: string, header: Header): Promise<void> {
    const linkname = cleanPath(header.linkname ?? '', 'hard link');
    this.#seen.add(path);
    if (this.#seen.has(linkname)) return this.#entry({ ...keep(header), name: path, linkname });
    const below = await this.#lower.find(linkname);
    if (!below?.stats.isFile())
      throw new Error(`unpack layer: hard link "${path}" leads to "${linkname}", a missing file`);
    const { mode, uid, gid, size, mtime } = below.stats;
    const entry = { name: path, type: 'file', mode: mode & 0o7777, uid, gid, size, mtime } as const;
    await this.#copy(path, entry, createReadStream(below.path));
  }

  async #copy(path: string, header: Entry, content: NodeJS.ReadableStream & { resume(): unknown }): Promise<void> {
    this.#seen.add(path);
    const name = header.type === 'directory' ? `${path}/` : path;
    const type = header.type === 'contiguous-file' ? 'file' : header.type;
    const entry = { ...keep(header), name, type };
    if (type !== 'file') {
      await this.#entry(entry);
      content.resume();
      return;
    }
    this.sizeBytes += header.size ?? 0;
    await new Promise<void>((resolve, reject) => {
      const output = this.#target.entry(entry as Header, (error) => (error ? reject(error) : resolve()));
      content.on('error', reject);
      content.pipe(output);
    });
  }

  #entry(header: Entry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#target.entry({ ...header } as Header, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/** Without PAX records that would override the new name; those of extended attributes stay. */
function keep(header: Entry): Entry {
  const pax = Object.entries(header.pax ?? {}).filter(([key]) => keptPaxPattern.test(key));
  const { pax: _, ...rest } = header;
  return pax.length > 0 ? { ...rest, pax: Object.fromEntries(pax) } : rest;
}

function cleanPath(name: string, what: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new Error(`unpack layer: ${what} "${name}" leads out of the layer`);
  return parts.length === 0 ? '.' : parts.join('/');
}
