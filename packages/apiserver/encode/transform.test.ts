import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtobuf, findShape } from '@kubernode/api';
import { FakeClock } from '@kubernode/machinery';
import { startServed } from '../served-testing.ts';

interface Named {
  readonly metadata: { readonly name: string };
}

test('encodeAnswer makes one list of a long one, though it looks at some objects at a time', async (t) => {
  const server = await startServed({ clock: new FakeClock() });
  t.after(() => server.stop());
  const path = '/api/v1/namespaces/default/configmaps';
  const transport = server.transport('system:admin');
  const names = Array.from({ length: 1_200 }, (_, index) => `c-${String(index).padStart(4, '0')}`);
  await Promise.all(names.map((name) => transport.request({ method: 'POST', path, body: { metadata: { name } } })));
  const get = (accept: string) => fetch(`${server.url}${path}`, { headers: { accept } });
  const namesOf = (items: readonly Named[]) => items.map(({ metadata }) => metadata.name);

  const table = (await (await get('application/json;as=Table;v=v1;g=meta.k8s.io')).json()) as {
    kind: string;
    columnDefinitions: readonly unknown[];
    rows: readonly { cells: readonly unknown[]; object: Named }[];
  };
  assert.equal(table.kind, 'Table');
  assert.equal(table.columnDefinitions.length, 3);
  assert.deepEqual(
    table.rows.map(({ cells }) => cells[0]),
    names,
  );
  assert.deepEqual(namesOf(table.rows.map(({ object }) => object)), names);

  const partial = (await (await get('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io')).json()) as {
    kind: string;
    items: readonly Named[];
  };
  assert.equal(partial.kind, 'PartialObjectMetadataList');
  assert.deepEqual(namesOf(partial.items), names);

  const bytes = Buffer.from(await (await get('application/vnd.kubernetes.protobuf')).arrayBuffer());
  const list = decodeProtobuf<{ items: readonly Named[] }>(bytes, findShape('v1', 'ConfigMapList')!).object;
  assert.deepEqual(namesOf(list.items), names);
});
