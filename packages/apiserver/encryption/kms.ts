import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { BoundedMap, type Clock, type Logger } from '@kubernode/machinery';
import { aesGcm, extendedNonceGcm } from './ciphers.ts';
import type { EncryptedKey, KmsService, KmsStatus } from './kms-service.ts';
import { bytesOf, decodeFields, encodeFields, encodeMap, mapOf, numberOf, textOf } from '../outbound/grpc/messages.ts';
import { TransformError, type Cipher, type Plain, type Transformer } from './transformer.ts';

const healthyIntervalMs = 60_000;
const unhealthyIntervalMs = 10_000;
/** A service that has not said for so long that its key is still the current one is not trusted for writes. */
const writeKeyMsMax = 180_000;
const seedBytes = 32;
const keyIdBytesMax = 1024;
const encryptedKeyBytesMax = 1024;
const keysMax = 1_000;
/** How the key of a value follows from what the service decrypts. */
const seedType = 1;

interface WriteKey extends EncryptedKey {
  readonly cipher: Cipher;
  expiresMs: number;
}

/**
 * Envelope encryption by a key management service (KMS v2): values are encrypted by a seed of ours, which only the
 * service can decrypt. A new seed is made at the start, and whenever the service has a new key.
 */
export class KmsTransformer implements Transformer {
  readonly name: string;
  readonly #service: KmsService;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By a hash of what the service decrypts. */
  readonly #ciphers = new BoundedMap<string, Cipher>(keysMax);
  #current: WriteKey | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;
  /** What is wrong with the service; undefined where nothing is. */
  problem: string | undefined = 'not asked yet';

  constructor(name: string, service: KmsService, { clock, log }: { clock: Clock; log: Logger }) {
    this.name = name;
    this.#service = service;
    this.#clock = clock;
    this.#log = log;
  }

  /** Asks the service, and again and again from then on. Resolves after the first time, whatever came of it. */
  async start(): Promise<void> {
    await this.#probe();
    if (this.#isClosed) return;
    const delayMs = this.problem === undefined ? healthyIntervalMs : unhealthyIntervalMs;
    this.#cancel = this.#clock.after(delayMs, () => void this.start());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#service.close();
  }

  get writer(): string {
    return this.#writerOf(this.#current?.keyId ?? '', seedType);
  }

  write(value: Buffer, aad: Buffer): Buffer {
    const current = this.#current;
    if (!current) throw new TransformError('got unexpected nil transformer');
    if (this.#clock.now() > current.expiresMs) {
      const expired = new Date(current.expiresMs).toISOString();
      throw new TransformError(`encryptedDEKSource with keyID hash "${hashOf(current.keyId)}" expired at ${expired}`);
    }
    const { keyId, ciphertext, annotations, cipher } = current;
    return encodeFields([
      [1, cipher.encrypt(value, aad)],
      [2, keyId],
      [3, ciphertext],
      ...encodeMap(4, annotations),
      [5, seedType],
    ]);
  }

  read(stored: Buffer, aad: Buffer): Plain | Promise<Plain> {
    const fields = decodeFields(stored);
    const type = numberOf(fields, 5);
    if (type > seedType) throw new TransformError(`unknown encryptedDEKSourceType: ${type}`);
    const key = { ciphertext: bytesOf(fields, 3), keyId: textOf(fields, 2), annotations: mapOf(fields, 4) };
    const data = bytesOf(fields, 1);
    if (data.length === 0) throw new TransformError('encrypted data is empty');
    const plain = (cipher: Cipher): Plain => ({
      value: cipher.decrypt(data, aad),
      writer: this.#writerOf(key.keyId, type),
    });
    const cacheKey = cacheKeyOf(type, key);
    const known = this.#ciphers.get(cacheKey);
    return known ? plain(known) : this.#fetch(type, key, cacheKey).then(plain);
  }

  #writerOf(keyId: string, type: number): string {
    return `k8s:enc:kms:v2:${this.name}:${type}:${keyId}`;
  }

  async #fetch(type: number, key: EncryptedKey, cacheKey: string): Promise<Cipher> {
    let source: Buffer;
    try {
      source = await this.#service.decrypt(key, randomUUID());
    } catch (error) {
      throw new TransformError(`failed to decrypt DEK, error: ${(error as Error).message}`);
    }
    const cipher = type === seedType ? extendedNonceGcm(source) : aesGcm(source);
    this.#ciphers.set(cacheKey, cipher);
    return cipher;
  }

  async #probe(): Promise<void> {
    try {
      await this.#check(await this.#service.status());
      this.problem = undefined;
    } catch (error) {
      this.problem = `kmsv2 Provider ${this.name} is not healthy, error: ${(error as Error).message}`;
      this.#log.warn('a KMS plugin is not healthy', { provider: this.name, error: this.problem });
    }
  }

  async #check({ healthz, version, keyId }: KmsStatus): Promise<void> {
    if (healthz !== 'ok') throw new Error(`got unexpected healthz status: ${healthz}`);
    if (version !== 'v2' && version !== 'v2beta1') throw new Error(`expected KMSv2 API version v2, got ${version}`);
    checkKeyId(keyId);
    const expiresMs = this.#clock.now() + writeKeyMsMax;
    if (this.#current?.keyId === keyId) {
      this.#current.expiresMs = expiresMs;
      return;
    }
    const seed = randomBytes(seedBytes);
    const encrypted = await this.#service.encrypt(seed, randomUUID());
    checkKeyId(encrypted.keyId);
    const { length } = encrypted.ciphertext;
    if (length === 0) throw new Error('encrypted DEK source is empty');
    if (length > encryptedKeyBytesMax) {
      throw new Error(`encrypted DEK source is ${length} bytes, which exceeds the max size of ${encryptedKeyBytesMax}`);
    }
    if (encrypted.keyId !== keyId) {
      const [told, used] = [hashOf(keyId), hashOf(encrypted.keyId)];
      throw new Error(`failed to rotate DEK: statusKeyIDHash="${told}", encryptKeyIDHash="${used}"`);
    }
    const cipher = extendedNonceGcm(seed);
    this.#ciphers.set(cacheKeyOf(seedType, encrypted), cipher);
    this.#current = { ...encrypted, cipher, expiresMs };
  }
}

function checkKeyId(keyId: string): void {
  const length = Buffer.byteLength(keyId);
  if (length === 0) throw new Error('got invalid KMSv2 KeyID: keyID is empty');
  if (length > keyIdBytesMax) {
    throw new Error(
      `got invalid KMSv2 KeyID: keyID is ${length} bytes, which exceeds the max size of ${keyIdBytesMax}`,
    );
  }
}

const hashOf = (keyId: string) => `sha256:${createHash('sha256').update(keyId).digest('hex')}`;

function cacheKeyOf(type: number, { ciphertext, keyId, annotations }: EncryptedKey): string {
  const bytes = encodeFields([[1, type + 1], [2, ciphertext], [3, keyId], ...encodeMap(4, annotations)]);
  return createHash('sha256').update(bytes).digest('base64');
}
