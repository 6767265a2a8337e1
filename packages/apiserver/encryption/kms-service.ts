import { bytesOf, decodeFields, encodeFields, encodeMap, mapOf, textOf } from '../outbound/grpc/messages.ts';
import { UnaryClient } from '../outbound/grpc/unary-client.ts';

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
export function kmsService(endpoint: string, timeoutMs: number): KmsService {
  const client = new UnaryClient({ endpoint, service: 'v2.KeyManagementService', timeoutMs });
  return {
    async status() {
      const fields = decodeFields(await client.call('Status', Buffer.alloc(0)));
      return { version: textOf(fields, 1), healthz: textOf(fields, 2), keyId: textOf(fields, 3) };
    },
    async encrypt(plaintext, uid) {
      const request = encodeFields([
        [1, plaintext],
        [2, uid],
      ]);
      const fields = decodeFields(await client.call('Encrypt', request));
      return { ciphertext: bytesOf(fields, 1), keyId: textOf(fields, 2), annotations: mapOf(fields, 3) };
    },
    async decrypt({ ciphertext, keyId, annotations }, uid) {
      const request = encodeFields([[1, ciphertext], [2, uid], [3, keyId], ...encodeMap(4, annotations)]);
      return bytesOf(decodeFields(await client.call('Decrypt', request)), 1);
    },
    close: () => client.close(),
  };
}
