import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { TransformError, type Cipher } from './transformer.ts';

const nonceBytes = 12;
const tagBytes = 16;
const blockBytes = 16;
const boxNonceBytes = 24;
const infoBytes = 32;

const tooShort = () => new TransformError('the stored data was shorter than the required size');

/** AES-GCM: nonce, ciphertext, tag. `key`: 16, 24 or 32 bytes. */
export function aesGcm(key: Buffer): Cipher {
  const algorithm = `aes-${key.length * 8}-gcm` as 'aes-256-gcm';
  return {
    encrypt(value, aad) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(aad);
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(data, aad) {
      if (data.length < nonceBytes + tagBytes) throw tooShort();
      const end = data.length - tagBytes;
      const decipher = createDecipheriv(algorithm, key, data.subarray(0, nonceBytes)).setAAD(aad);
      decipher.setAuthTag(data.subarray(end));
      try {
        return Buffer.concat([decipher.update(data.subarray(nonceBytes, end)), decipher.final()]);
      } catch {
        throw new TransformError('cipher: message authentication failed');
      }
    },
  };
}

/** AES-CBC: initialization vector, ciphertext with PKCS#7 padding. It is not bound to its key in the store. */
export function aesCbc(key: Buffer): Cipher {
  const algorithm = `aes-${key.length * 8}-cbc`;
  return {
    encrypt(value) {
      const iv = randomBytes(blockBytes);
      const cipher = createCipheriv(algorithm, key, iv);
      return Buffer.concat([iv, cipher.update(value), cipher.final()]);
    },
    decrypt(data) {
      if (data.length < blockBytes) throw tooShort();
      const body = data.subarray(blockBytes);
      if (body.length === 0 || body.length % blockBytes !== 0) {
        throw new TransformError('the stored data is not a multiple of the block size');
      }
      const decipher = createDecipheriv(algorithm, key, data.subarray(0, blockBytes));
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]);
      } catch {
        throw new TransformError('invalid padding on input');
      }
    },
  };
}

/** XSalsa20-Poly1305 (NaCl's secretbox): nonce, box. `key`: 32 bytes. */
export function secretbox(key: Buffer): Cipher {
  return {
    encrypt(value) {
      const nonce = randomBytes(boxNonceBytes);
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(value)]);
    },
    decrypt(data) {
      if (data.length < boxNonceBytes + tagBytes) throw tooShort();
      try {
        return Buffer.from(
          xsalsa20poly1305(key, data.subarray(0, boxNonceBytes)).decrypt(data.subarray(boxNonceBytes)),
        );
      } catch {
        throw new TransformError('output array was not large enough for encryption');
      }
    },
  };
}

/** AES-GCM with a key of its own for each value, expanded from `seed` (HKDF-SHA256) by what the value begins with. */
export function extendedNonceGcm(seed: Buffer): Cipher {
  // One block of HKDF's expansion is as long as a key.
  const derived = (info: Buffer) =>
    aesGcm(
      createHmac('sha256', seed)
        .update(info)
        .update(Buffer.from([1]))
        .digest(),
    );
  return {
    encrypt(value, aad) {
      const info = randomBytes(infoBytes);
      return Buffer.concat([info, derived(info).encrypt(value, aad)]);
    },
    decrypt(data, aad) {
      if (data.length < infoBytes) throw tooShort();
      return derived(data.subarray(0, infoBytes)).decrypt(data.subarray(infoBytes), aad);
    },
  };
}
