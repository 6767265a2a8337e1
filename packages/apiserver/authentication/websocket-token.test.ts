import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offeredProtocols } from './websocket-token.ts';

const token = 'base64url.bearer.authorization.k8s.io.Pz8_';

const cases: readonly (readonly [header: string, protocols: readonly string[], tokens: readonly string[]])[] = [
  ['', [], []],
  ['v5.channel.k8s.io', ['v5.channel.k8s.io'], []],
  [` a,b ,${token}`, ['a', 'b'], ['???']],
  [`${token}, ${token}`, [], ['???', '???']],
  ['x.base64url.bearer.authorization.k8s.io.Pz8_', ['x.base64url.bearer.authorization.k8s.io.Pz8_'], []],
];

for (const [header, protocols, tokens] of cases) {
  test(`offeredProtocols ${JSON.stringify(header)}`, () =>
    assert.deepEqual(offeredProtocols(header), { protocols, tokens }));
}
