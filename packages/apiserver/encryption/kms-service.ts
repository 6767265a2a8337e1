import type { Client, ServiceError } from '@grpc/grpc-js';
import { bytesOf, decodeFields, encodeFields, encodeMap, mapOf, textOf } from './proto.ts';

export interface KmsStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

export interface EncryptedKey {
  readonly ciphertext: Buffer;
  readonly keyId: string;
  readonly annotations: ReadonlyMap<string, Buffer>;
}

/** A key management service, by the API v2 of its plugins (k8s.io/kms/apis/v2). */
export interface KmsService {
  status(): Promise<KmsStatus>;
  encrypt(plaintext: Buffer, uid: string): Promise<EncryptedKey>;
  decrypt(key: EncryptedKey, uid: string): Promise<Buffer>;
  close(): void;
}

/** `endpoint`: unix:///path. Connects with the first call; calls reject after `timeoutMs`. */
export async function kmsService(endpoint: string, timeoutMs: number): Promise<KmsService> {
  // Loaded only where a configuration names a service.
  const { Client: GrpcClient, credentials } = await import('@grpc/grpc-js');
  const target = `unix:${endpoint.replace(/^unix:(\/\/)?/, '')}`;
  const client = new GrpcClient(target, credentials.createInsecure(), { 'grpc.default_authority': 'localhost' });
  const call = (method: string, request: Buffer) => callUnary(client, method, request, timeoutMs);
  return {
    async status() {
      const fields = decodeFields(await call('Status', Buffer.alloc(0)));
      return { version: textOf(fields, 1), healthz: textOf(fields, 2), keyId: textOf(fields, 3) };
    },
    async encrypt(plaintext, uid) {
      const request = encodeFields([
        [1, plaintext],
        [2, uid],
      ]);
      const fields = decodeFields(await call('Encrypt', request));
      return { ciphertext: bytesOf(fields, 1), keyId: textOf(fields, 2), annotations: mapOf(fields, 3) };
    },
    async decrypt({ ciphertext, keyId, annotations }, uid) {
      const request = encodeFields([[1, ciphertext], [2, uid], [3, keyId], ...encodeMap(4, annotations)]);
      return bytesOf(decodeFields(await call('Decrypt', request)), 1);
    },
    close: () => client.close(),
  };
}

function callUnary(client: Client, method: string, request: Buffer, timeoutMs: number): Promise<Buffer> {
  const pass = (bytes: Buffer) => bytes;
  return new Promise((resolve, reject) => {
    const done = (error: ServiceError | null, answer?: Buffer) => {
      if (error) reject(new Error(`rpc error: code = ${error.code} desc = ${error.details}`));
      else resolve(answer ?? Buffer.alloc(0));
    };
    // Deadlines of gRPC are moments of the machine's own clock.
    const deadline = new Date(Date.now() + timeoutMs);
    client.makeUnaryRequest(`/v2.KeyManagementService/${method}`, pass, pass, request, { deadline }, done);
  });
}
