import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { rewriteLayer } from './layer-entries.ts';

/**
 * Unpacks a layer (plain, gzip or zstd) into `target` in the form overlayfs wants: whiteouts as devices, folders that
 * only the layers below have with their owner and mode. Ownership, hard links, devices and xattrs are kept. GNU tar
 * writes the files: Node can make neither devices nor xattrs. Throws where the content is not `diffId`'s, or where an
 * entry leads out of the layer. Answers the bytes of the files.
 */
export async function unpackLayer(options: {
  readonly blobPath: string;
  readonly diffId: string;
  /** Folders of the layers below, topmost first. */
  readonly lower: readonly string[];
  readonly target: string;
}): Promise<number> {
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  // First what can fail by itself: a blob that is not there must not leave tar or an open stream behind.
  const decompressors = await decompress(options.blobPath);
  const archive = extract();
  const rewritten = pack();
  const writing = writeFiles(rewritten as unknown as Readable, options.target);
  const reading = pipeline([
    createReadStream(options.blobPath, { highWaterMark: 256 * 1024 }),
    ...decompressors,
    hashing,
    archive,
  ]);
  const rewriting = rewriteLayer(archive, rewritten, options.lower);
  const stop = (error: Error) => {
    archive.destroy(error);
    rewritten.destroy(error);
  };
  const results = await Promise.allSettled([
    rewriting.catch((error: Error) => (stop(error), Promise.reject(error))),
    writing.catch((error: Error) => (stop(error), Promise.reject(error))),
    reading,
  ]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  const actual = `sha256:${hash.digest('hex')}`;
  if (actual !== options.diffId)
    throw new Error(`unpack layer: content has digest ${actual}, expected ${options.diffId}`);
  return results[0].status === 'fulfilled' ? results[0].value : 0;
}

async function decompress(path: string): Promise<Transform[]> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    if (buffer.readUInt16BE(0) === 0x1f8b) return [createGunzip()];
    if (buffer.readUInt32LE(0) === 0xfd2f_b528) return [createZstdDecompress()];
    return [];
  } finally {
    await file.close();
  }
}

async function writeFiles(archive: Readable, target: string): Promise<void> {
  const owner = process.getuid?.() === 0 ? '--same-owner' : '--no-same-owner';
  const args = ['-x', '-f', '-', '-C', target, '--numeric-owner', owner, '-p', '--xattrs'];
  const child = spawn('tar', [...args, '--xattrs-include=*', '--delay-directory-restore'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-2000)));
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`unpack layer: ${reasonOf(words)}`))));
  });
  // It may fail before the feeding has; who awaits it below hears of it.
  ended.catch(() => {});
  const feeding = pipeline(archive, child.stdin).catch((error: Error) => {
    child.kill('SIGKILL');
    return error;
  });
  const failed = await feeding;
  await ended.catch((error: Error) => {
    throw failed instanceof Error && words === '' ? failed : error;
  });
}

/** GNU tar says of a full disk only how little it wrote. */
function reasonOf(words: string): string {
  return /Wrote only|No space left/.test(words) ? 'no space left on device' : words.trim();
}
