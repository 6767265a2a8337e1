import assert from 'node:assert/strict';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';
import { unpackLayer } from './layer.ts';
import { isWhiteout } from './lower-files.ts';
import { sha256 } from './manifest.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kn-layer-'));
});
after(() => rm(folder, { recursive: true }));

type Entry = Partial<Header> & { readonly name: string; readonly content?: string };
const isRoot = process.getuid?.() === 0;
let count = 0;

async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content, ...header } of entries) {
    if (content === undefined) archive.entry(header as Header);
    else archive.entry(header as Header, content);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function unpack(
  entries: readonly Entry[],
  options: { lower?: readonly string[]; compress?: (tar: Buffer) => Buffer; diffId?: string } = {},
): Promise<string> {
  const tar = await tarOf(entries);
  const base = join(folder, String(count++));
  const target = join(base, 'layer');
  await mkdir(target, { recursive: true });
  await writeFile(join(base, 'blob'), (options.compress ?? ((bytes) => bytes))(tar));
  const diffId = options.diffId ?? sha256(tar);
  await unpackLayer({ blobPath: join(base, 'blob'), diffId, lower: options.lower ?? [], target });
  return target;
}

for (const [name, compress] of [
  ['plain', (tar: Buffer) => tar],
  ['gzip', (tar: Buffer) => gzipSync(tar)],
  ['zstd', (tar: Buffer) => zstdCompressSync(tar)],
] as const) {
  test(`unpackLayer reads a ${name} layer`, async () => {
    const target = await unpack(
      [
        { name: './a/b', mode: 0o640, content: 'x' },
        { name: 'empty', content: '' },
      ],
      { compress },
    );
    assert.equal(await readFile(join(target, 'a/b'), 'utf8'), 'x');
    assert.equal((await lstat(join(target, 'a/b'))).mode & 0o777, 0o640);
    assert.equal((await lstat(join(target, 'empty'))).size, 0);
  });
}

test('unpackLayer keeps owners, links and modes', { skip: !isRoot }, async () => {
  const target = await unpack([
    { name: 'file', uid: 1000, gid: 2000, mode: 0o4755, content: 'x' },
    { name: 'hard', type: 'link', linkname: 'file' },
    { name: 'soft', type: 'symlink', linkname: '/etc/passwd' },
    { name: 'null', type: 'character-device', devmajor: 1, devminor: 3 },
  ]);
  const stats = await lstat(join(target, 'hard'));
  assert.deepEqual([stats.uid, stats.gid, stats.mode & 0o7777, stats.nlink], [1000, 2000, 0o4755, 2]);
  assert.ok((await lstat(join(target, 'soft'))).isSymbolicLink());
  assert.ok((await lstat(join(target, 'null'))).isCharacterDevice());
});

test('unpackLayer turns whiteouts into devices, where the layers below have the name', { skip: !isRoot }, async () => {
  const below = await unpack([
    { name: 'gone', content: 'x' },
    { name: 'dir/', type: 'directory', mode: 0o1777, uid: 7 },
    { name: 'dir/old', content: 'x' },
    { name: 'dir/kept', content: 'x' },
    { name: 'other/a', content: 'x' },
  ]);
  const target = await unpack(
    [
      { name: '.wh.gone', content: '' },
      { name: '.wh.never', content: '' },
      { name: 'dir/.wh..wh..opq', content: '' },
      { name: 'dir/kept', content: 'new' },
      { name: 'copy', type: 'link', linkname: 'other/a' },
    ],
    { lower: [below] },
  );
  assert.deepEqual((await readdir(target)).sort(), ['copy', 'dir', 'gone']);
  assert.ok(isWhiteout(await lstat(join(target, 'gone'))));
  assert.ok(isWhiteout(await lstat(join(target, 'dir/old'))));
  assert.equal(await readFile(join(target, 'dir/kept'), 'utf8'), 'new');
  assert.equal(await readFile(join(target, 'copy'), 'utf8'), 'x');
  const dir = await lstat(join(target, 'dir'));
  assert.deepEqual([dir.mode & 0o7777, dir.uid], [0o1777, 7]);
});

test('unpackLayer refuses what leads out of the layer', async () => {
  await assert.rejects(unpack([{ name: '../evil', content: 'x' }]), /leads out of the layer/);
  await assert.rejects(unpack([{ name: 'a', type: 'link', linkname: '../../etc/passwd' }]), /leads out of the layer/);
});

test('unpackLayer does not write or read through a link', async () => {
  const outside = join(folder, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'x');
  await unpack([
    { name: 'link', type: 'symlink', linkname: outside },
    { name: 'link/evil', content: 'x' },
  ]).catch(() => {});
  assert.deepEqual(await readdir(outside), ['secret']);
  const below = await unpack([{ name: 'link', type: 'symlink', linkname: outside }]);
  const stolen = unpack([{ name: 'stolen', type: 'link', linkname: 'link/secret' }], { lower: [below] });
  await assert.rejects(stolen, /a missing file/);
});

test('unpackLayer refuses another content than the digest promises', async () => {
  await assert.rejects(unpack([{ name: 'a', content: 'x' }], { diffId: sha256('other') }), /content has digest/);
});

test('unpackLayer refuses bytes that are no archive', async () => {
  const garbage = () => Buffer.from('x'.repeat(2000));
  await assert.rejects(unpack([{ name: 'a', content: 'x' }], { compress: garbage }), /tar|header|digest|Invalid/i);
});

test('unpackLayer throws for a blob that is not there', async () => {
  const blobPath = join(folder, 'missing');
  await assert.rejects(unpackLayer({ blobPath, diffId: '', lower: [], target: folder }), /ENOENT/);
});
