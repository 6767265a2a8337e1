import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLogger } from '@kubernode/machinery';
import { writeBusyboxImage } from '../testing/busybox-image.ts';
import { ImageStore } from './store.ts';

test('ImageStore loads an OCI layout, finds it by its names and removes it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kn-images-'));
  try {
    await writeBusyboxImage(join(folder, 'layout'), {
      name: 'kubernode.local/demo:1',
      files: { '/www/index.html': 'hi' },
    });
    const options = { folder: join(folder, 'store'), log: silentLogger, registry: {}, userOf: () => undefined };
    const store = await ImageStore.open(options);
    assert.deepEqual(await store.load(join(folder, 'layout')), ['kubernode.local/demo:1']);
    const record = store.find('kubernode.local/demo:1');
    assert.ok(record);
    assert.equal(await readFile(join(store.layersFolder, record.layers[0] ?? '', 'www/index.html'), 'utf8'), 'hi');
    const again = await ImageStore.open(options);
    assert.deepEqual(again.find(record.id), record);
    await again.remove('kubernode.local/demo:1');
    assert.deepEqual(again.list(), []);
  } finally {
    await rm(folder, { recursive: true });
  }
});
