import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Volume } from '@kubernode/api/core/v1';
import { testMeta } from '../testing/objects.ts';
import { writeAtomically } from './atomic-writer.ts';
import { prepareHostPath } from './host-path.ts';
import type { Mounter } from './mounter.ts';
import { configMapPayload, secretPayload, type Payload } from './payload.ts';
import { mountSubPath } from './sub-path.ts';
import { podDirs } from './volume-dirs.ts';
import { planVolume } from './volume-plan.ts';

async function temporary(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kubelet-volumes-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const files = (entries: Record<string, string>): Payload =>
  new Map(Object.entries(entries).map(([path, text]) => [path, { data: Buffer.from(text), mode: 0o644 }]));

test('writeAtomically: replaces all files behind one link', async (t) => {
  const dir = await temporary(t);
  await writeAtomically(dir, files({ a: '1', 'sub/b': '2' }), { stamp: 'one' });
  assert.equal(await readlink(join(dir, '..data')), '..one');
  assert.equal(await readlink(join(dir, 'sub')), '..data/sub');
  assert.equal(await readFile(join(dir, 'sub/b'), 'utf8'), '2');
  await writeAtomically(dir, files({ a: '3' }), { stamp: 'two' });
  assert.equal(await readFile(join(dir, 'a'), 'utf8'), '3');
  assert.deepEqual((await readdir(dir)).sort(), ['..data', '..two', 'a']);
});

test('writeAtomically: refuses a path that leaves the volume', async (t) => {
  const dir = await temporary(t);
  await assert.rejects(writeAtomically(dir, files({ '../x': '' }), { stamp: 'one' }), /must not contain/);
});

test('configMapPayload: picks items, and says which key misses', () => {
  const configMap = { metadata: testMeta(), data: { a: '1' }, binaryData: { b: 'Mg==' } };
  const all = configMapPayload('c', configMap, { defaultMode: 0o600 });
  assert.deepEqual(
    [...all].map(([path, file]) => [path, String(file.data), file.mode]),
    [
      ['a', '1', 0o600],
      ['b', '2', 0o600],
    ],
  );
  const items = [{ key: 'x', path: 'y' }];
  assert.throws(() => configMapPayload('c', configMap, { items, defaultMode: 0o600 }), /non-existent config key: x/);
  assert.equal(configMapPayload('c', configMap, { items, defaultMode: 0o600, optional: true }).size, 0);
});

test('secretPayload: an absent secret is an error unless optional', () => {
  assert.throws(() => secretPayload('s', undefined, { defaultMode: 0o644 }), /secret "s" not found/);
  assert.equal(secretPayload('s', undefined, { defaultMode: 0o644, optional: true }).size, 0);
});

const plans: { name: string; volume: Volume; expected: string | RegExp }[] = [
  { name: 'configMap', volume: { name: 'v', configMap: { name: 'c' } }, expected: 'payload' },
  { name: 'emptyDir', volume: { name: 'v', emptyDir: {} }, expected: 'emptyDir' },
  { name: 'csi', volume: { name: 'v', csi: { driver: 'd' } }, expected: /the csi volume type is not supported/ },
  { name: 'image', volume: { name: 'v', image: { reference: 'x' } }, expected: /the image volume type is not/ },
  {
    name: 'clusterTrustBundle',
    volume: { name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'p' } }] } },
    expected: /a clusterTrustBundle projection is not supported/,
  },
];
for (const { name, volume, expected } of plans) {
  test(`planVolume: ${name}`, () => {
    const plan = () => planVolume(volume, podDirs('/root', 'u'));
    if (typeof expected === 'string') assert.equal(plan().type, expected);
    else assert.throws(plan, expected);
  });
}

test('prepareHostPath: makes or checks what the type says', async (t) => {
  const dir = await temporary(t);
  await prepareHostPath({ path: join(dir, 'made/here'), type: 'DirectoryOrCreate' });
  await prepareHostPath({ path: join(dir, 'made/file'), type: 'FileOrCreate' });
  await prepareHostPath({ path: join(dir, 'made/file'), type: 'File' });
  await assert.rejects(
    prepareHostPath({ path: join(dir, 'absent'), type: 'Directory' }),
    /hostPath type check failed: .*absent is not a directory/,
  );
});

test('prepareHostPath: a folder that no file system takes fails the pod, and nothing else', async () => {
  const prepared = prepareHostPath({ path: '/proc/x/y', type: 'DirectoryOrCreate' });
  await assert.rejects(prepared, /the file system of \/proc takes no new folders/);
});

test('mountSubPath: follows links within the volume and refuses those that leave it', async (t) => {
  const dir = await temporary(t);
  const volume = join(dir, 'volume');
  await mkdir(join(volume, 'inner'), { recursive: true });
  await writeFile(join(volume, 'inner/file'), '');
  await symlink('inner', join(volume, 'link'));
  await symlink('/etc', join(volume, 'evil'));
  const bound: string[] = [];
  const mounter = {
    async bind(source: string) {
      bound.push(await readlink(source.replace(/^\/proc\/\d+/, '/proc/self')));
    },
  } as unknown as Mounter;
  await mountSubPath(volume, 'link/file', join(dir, 'target-0'), mounter);
  await mountSubPath(volume, 'new/deep', join(dir, 'target-1'), mounter);
  assert.deepEqual(bound, [join(volume, 'inner/file'), join(volume, 'new/deep')]);
  await assert.rejects(mountSubPath(volume, 'evil/passwd', join(dir, 'target-2'), mounter), /outside of its volume/);
  await assert.rejects(mountSubPath(volume, 'evil/absent', join(dir, 'target-2'), mounter), /outside of its volume/);
  await assert.rejects(mountSubPath(volume, '../x', join(dir, 'target-2'), mounter), /must not contain/);
});
