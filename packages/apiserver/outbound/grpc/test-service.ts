import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, type handleUnaryCall } from '@grpc/grpc-js';

const same = (bytes: Buffer): Buffer => bytes;
const codecs = {
  requestStream: false,
  responseStream: false,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
};

/** A gRPC service on a unix socket, for tests: its methods by their names. */
export async function testService(name: string, methods: Readonly<Record<string, (request: Buffer) => Buffer>>) {
  const directory = mkdtempSync(join(tmpdir(), 'grpc-'));
  const socket = join(directory, 's');
  const server = new Server();
  const paths = Object.keys(methods).map((method) => [method, { ...codecs, path: `/${name}/${method}` }] as const);
  const handlers = Object.entries(methods).map(([method, answer]) => {
    const handle: handleUnaryCall<Buffer, Buffer> = (call, callback) => callback(null, answer(call.request));
    return [method, handle] as const;
  });
  server.addService(Object.fromEntries(paths), Object.fromEntries(handlers));
  await new Promise<void>((resolve, reject) => {
    const credentials = ServerCredentials.createInsecure();
    server.bindAsync(`unix:${socket}`, credentials, (error) => (error ? reject(error) : resolve()));
  });
  return {
    socket,
    stop() {
      server.forceShutdown();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
