import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kmsService } from './kms-service.ts';
import { bytesOf, decodeFields, encodeFields, encodeMap, mapOf, textOf } from '../outbound/grpc/messages.ts';
import { testService } from '../outbound/grpc/test-service.ts';

test('kmsService speaks to a plugin on a unix socket', async () => {
  const annotations = new Map([
    ['b.example.com', Buffer.from('2')],
    ['a.example.com', Buffer.from('1')],
  ]);
  const plugin = await testService('v2.KeyManagementService', {
    Status: () =>
      encodeFields([
        [1, 'v2'],
        [2, 'ok'],
        [3, 'key-1'],
      ]),
    Encrypt(request) {
      assert.equal(textOf(decodeFields(request), 2), 'uid-1');
      const reversed = bytesOf(decodeFields(request), 1).reverse();
      return encodeFields([[1, reversed], [2, 'key-1'], ...encodeMap(3, annotations)]);
    },
    Decrypt(request) {
      const fields = decodeFields(request);
      assert.equal(textOf(fields, 3), 'key-1');
      assert.deepEqual(Object.fromEntries(mapOf(fields, 4)), Object.fromEntries(annotations));
      return encodeFields([[1, bytesOf(fields, 1).reverse()]]);
    },
  });
  const service = kmsService(`unix://${plugin.socket}`, 2_000);
  try {
    assert.deepEqual(await service.status(), { version: 'v2', healthz: 'ok', keyId: 'key-1' });
    const plaintext = Buffer.from('x'.repeat(300) + 'y');
    const encrypted = await service.encrypt(plaintext, 'uid-1');
    assert.equal(encrypted.keyId, 'key-1');
    assert.notDeepEqual(encrypted.ciphertext, plaintext);
    assert.deepEqual(await service.decrypt(encrypted, 'uid-2'), plaintext);
    plugin.stop();
    await assert.rejects(service.status(), /rpc error: code = 14/);
  } finally {
    service.close();
    plugin.stop();
  }
});
