import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Server, ServerCredentials, type handleUnaryCall, type ServiceDefinition } from '@grpc/grpc-js';
import { kmsService } from './kms-service.ts';
import { bytesOf, decodeFields, encodeFields, encodeMap, mapOf, textOf } from './proto.ts';

const pass = (bytes: Buffer) => bytes;
const method = (name: string) => ({
  path: `/v2.KeyManagementService/${name}`,
  requestStream: false,
  responseStream: false,
  requestSerialize: pass,
  requestDeserialize: pass,
  responseSerialize: pass,
  responseDeserialize: pass,
});
const answering =
  (answer: (request: Buffer) => Buffer): handleUnaryCall<Buffer, Buffer> =>
  (call, callback) =>
    callback(null, answer(call.request));

test('kmsService speaks to a plugin on a unix socket', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kms-'));
  const socket = join(directory, 'kms.sock');
  const server = new Server();
  const annotations = new Map([
    ['b.example.com', Buffer.from('2')],
    ['a.example.com', Buffer.from('1')],
  ]);
  const definition = { status: method('Status'), encrypt: method('Encrypt'), decrypt: method('Decrypt') };
  server.addService(definition as unknown as ServiceDefinition, {
    status: answering(() =>
      encodeFields([
        [1, 'v2'],
        [2, 'ok'],
        [3, 'key-1'],
      ]),
    ),
    encrypt: answering((request) => {
      assert.equal(textOf(decodeFields(request), 2), 'uid-1');
      const reversed = bytesOf(decodeFields(request), 1).reverse();
      return encodeFields([[1, reversed], [2, 'key-1'], ...encodeMap(3, annotations)]);
    }),
    decrypt: answering((request) => {
      const fields = decodeFields(request);
      assert.equal(textOf(fields, 3), 'key-1');
      assert.deepEqual(Object.fromEntries(mapOf(fields, 4)), Object.fromEntries(annotations));
      return encodeFields([[1, bytesOf(fields, 1).reverse()]]);
    }),
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  const service = await kmsService(`unix://${socket}`, 2_000);
  try {
    assert.deepEqual(await service.status(), { version: 'v2', healthz: 'ok', keyId: 'key-1' });
    const plaintext = Buffer.from('x'.repeat(300) + 'y');
    const encrypted = await service.encrypt(plaintext, 'uid-1');
    assert.equal(encrypted.keyId, 'key-1');
    assert.notDeepEqual(encrypted.ciphertext, plaintext);
    assert.deepEqual(await service.decrypt(encrypted, 'uid-2'), plaintext);
    server.forceShutdown();
    await assert.rejects(service.status(), /rpc error: code = 14/);
  } finally {
    service.close();
    server.forceShutdown();
    rmSync(directory, { recursive: true });
  }
});
