import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { completeCri, CriError, type CriImplementation, decodeMessage, encodeMessage } from '@kubernode/api/cri';
import { serveCri } from './grpc.ts';

const known: Partial<CriImplementation> = {
  version: async ({ version }) => ({ version, runtimeName: 'kubernode' }),
  containerStatus: async () => {
    throw new CriError('NotFound', 'no such container');
  },
  getContainerEvents: async function* () {
    yield { containerId: 'a' };
    yield { containerId: 'b' };
  },
};

test('serveCri answers calls, streams and errors as gRPC', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kn-grpc-'));
  const implementation = new Proxy(known as CriImplementation, {
    get: (target, key) => Reflect.get(target, key) ?? (async () => ({})),
  });
  const server = await serveCri(completeCri(implementation), join(folder, 'cri.sock'));
  const client = new Client(`unix:${join(folder, 'cri.sock')}`, credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
  });
  try {
    const call = (method: string, request: Buffer) =>
      new Promise<Buffer>((resolve, reject) => {
        const path = `/runtime.v1.RuntimeService/${method}`;
        const same = (bytes: Buffer) => bytes;
        client.makeUnaryRequest(path, same, same, request, (error: ServiceError | null, value?: Buffer) => {
          if (error) reject(error);
          else resolve(value ?? Buffer.alloc(0));
        });
      });
    const answer = decodeMessage(
      'VersionResponse',
      await call('Version', encodeMessage('VersionRequest', { version: 'v1' })),
    );
    assert.deepEqual([answer.version, answer.runtimeName], ['v1', 'kubernode']);
    await assert.rejects(call('ContainerStatus', Buffer.alloc(0)), { code: 5, details: 'no such container' });
    const decode = (bytes: Buffer) => decodeMessage('ContainerEventResponse', bytes).containerId;
    const path = '/runtime.v1.RuntimeService/GetContainerEvents';
    const stream = client.makeServerStreamRequest(path, (bytes: Buffer) => bytes, decode, Buffer.alloc(0));
    const ids: string[] = [];
    for await (const id of stream as AsyncIterable<string>) ids.push(id);
    assert.deepEqual(ids, ['a', 'b']);
  } finally {
    client.close();
    await server.close();
    await rm(folder, { recursive: true });
  }
});
