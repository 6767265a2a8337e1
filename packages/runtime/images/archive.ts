import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, open } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Readable } from 'node:stream';
import { extract, type Header } from 'tar-stream';

/** Writes the files of an image archive (plain tar or gzip) into `folder`. Refuses names that lead out of it. */
export async function extractArchive(path: string, folder: string): Promise<void> {
  const archive = extract();
  const reading = pipeline([createReadStream(path), ...((await isGzip(path)) ? [createGunzip()] : []), archive]);
  reading.catch((error: Error) => archive.destroy(error));
  const links: [string, string][] = [];
  try {
    for await (const entry of archive as AsyncIterable<Readable & { header: Header }>) {
      const { name, type, linkname } = entry.header;
      if (type === 'file') {
        const target = inside(folder, name);
        await mkdir(dirname(target), { recursive: true });
        await pipeline(entry, createWriteStream(target));
        continue;
      }
      // Older docker-save archives share a layer between images by links.
      if (type === 'symlink') links.push([posix.join(posix.dirname(name), linkname), name]);
      if (type === 'link') links.push([linkname, name]);
      entry.resume();
    }
    await reading;
  } catch (error) {
    throw new Error(`read image archive "${path}": ${(error as Error).message}`, { cause: error });
  }
  for (const [from, to] of links) {
    await mkdir(dirname(inside(folder, to)), { recursive: true });
    await link(inside(folder, from), inside(folder, to));
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.readUInt16BE(0) === 0x1f8b;
  } finally {
    await file.close();
  }
}

function inside(folder: string, name: string): string {
  const clean = posix.normalize(name);
  if (clean.startsWith('/') || clean.split('/').includes('..')) throw new Error(`"${name}" leads out of the archive`);
  return join(folder, clean);
}
