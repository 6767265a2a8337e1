import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { silentLogger } from '@kubernode/machinery';
import { writeBusyboxImage } from '../testing/busybox-image.ts';
import type { Index, Manifest } from './manifest.ts';
import { ImageStore } from './store.ts';

const name = 'kubernode.local/demo:1';
let folder: string;
let user: string | undefined;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kn-images-'));
  await writeFile(join(folder, 'busybox'), 'x');
  const files = { '/www/index.html': 'hi' };
  await writeBusyboxImage(join(folder, 'layout'), { name, files, busyboxPath: join(folder, 'busybox') });
});
after(() => rm(folder, { recursive: true }));

async function openStore(path?: string): Promise<ImageStore> {
  const store = path ?? (await mkdtemp(join(folder, 'store-')));
  return ImageStore.open({ folder: store, log: silentLogger, registry: {}, userOf: () => user });
}

test('ImageStore loads an OCI layout folder, and knows it after it is opened again', async () => {
  const path = join(folder, 'store');
  const store = await openStore(path);
  assert.deepEqual(await store.load(join(folder, 'layout')), [name]);
  const record = store.find(name);
  assert.ok(record);
  assert.equal(await readFile(join(store.layersFolder, record.layers[0] ?? '', 'www/index.html'), 'utf8'), 'hi');
  await writeFile(join(store.layersFolder, 'left-by-a-crash.tmp'), '');
  const again = await openStore(path);
  assert.deepEqual(again.find(record.id), record);
  assert.deepEqual((await readdir(store.layersFolder)).length, 2);
});

test('ImageStore loads an OCI archive and a docker-save archive', async () => {
  const index = JSON.parse(await readFile(join(folder, 'layout/index.json'), 'utf8')) as Index;
  const blob = (digest = '') => `blobs/${digest.replace(':', '/')}`;
  const manifest = JSON.parse(
    await readFile(join(folder, 'layout', blob(index.manifests[0]?.digest)), 'utf8'),
  ) as Manifest;
  const pack = (file: string) => spawnSync('tar', ['-cf', join(folder, file), '-C', join(folder, 'layout'), '.']);
  pack('oci.tar');
  const Layers = manifest.layers.map((layer) => blob(layer.digest));
  const saved = [{ Config: blob(manifest.config.digest), RepoTags: ['saved:2'], Layers }];
  await writeFile(join(folder, 'layout/manifest.json'), JSON.stringify(saved));
  pack('docker.tar');
  await rename(join(folder, 'layout/manifest.json'), join(folder, 'moved'));
  const store = await openStore();
  assert.deepEqual(await store.load(join(folder, 'oci.tar')), [name]);
  assert.deepEqual(await store.load(join(folder, 'docker.tar')), ['docker.io/library/saved:2']);
  assert.deepEqual(store.list().length, 1, 'the same image by two names');
  assert.deepEqual(store.find('saved:2')?.tags, [name, 'docker.io/library/saved:2']);
});

test('ImageStore.remove takes a name, and with the last one the image and its layers', async () => {
  const store = await openStore();
  await store.load(join(folder, 'layout'));
  await store.load(join(folder, 'layout'), { name: 'other' });
  assert.equal(store.find((store.find(name)?.id ?? '').slice(7, 19))?.id, store.find(name)?.id);
  await store.remove('other');
  assert.ok(store.find(name));
  user = 'a container';
  await assert.rejects(store.remove(name), { code: 'FailedPrecondition' });
  user = undefined;
  await store.remove(name);
  assert.deepEqual(store.list(), []);
  assert.deepEqual(await readdir(store.layersFolder), []);
});

test('ImageStore.load says what is wrong with what it is given', async () => {
  const store = await openStore();
  await writeFile(join(folder, 'garbage'), 'x'.repeat(3000));
  await assert.rejects(store.load(join(folder, 'garbage')), /read image archive ".*garbage"/);
  await assert.rejects(store.load(join(folder, 'missing')), /ENOENT/);
  await assert.rejects(store.load(store.layersFolder), /neither manifest.json \(docker save\) nor index.json \(OCI\)/);
});
