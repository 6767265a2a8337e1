import { aggregateMessages } from '@kubernode/machinery';

/** Something that cannot be read or written; the message is upstream's. */
export class TransformError extends Error {
  override readonly name = 'TransformError';
}

export interface Plain {
  readonly value: Buffer;
  /** What it was written by: another than `Transformer.writer` means that it is to be written again. */
  readonly writer: string;
}

/** Between what the API server has and what the store keeps. `aad` is what a value is bound to: its key. */
export interface Transformer {
  /** A promise only where a key is to be fetched. Throws TransformError. */
  read(stored: Buffer, aad: Buffer): Plain | Promise<Plain>;
  /** Throws TransformError. */
  write(value: Buffer, aad: Buffer): Buffer;
  /** Who writes now; changes with the key. */
  readonly writer: string;
}

/** A cipher with its key; what it reads and writes has no prefix. */
export interface Cipher {
  readonly decrypt: (data: Buffer, aad: Buffer) => Buffer;
  readonly encrypt: (value: Buffer, aad: Buffer) => Buffer;
}

/** A transformer that is told by what its values begin with. */
export interface Prefixed {
  readonly prefix: string;
  readonly transformer: Transformer;
}

export const ofCipher = (prefix: string, { decrypt, encrypt }: Cipher): Transformer => ({
  writer: prefix,
  read: (stored, aad) => ({ value: decrypt(stored, aad), writer: prefix }),
  write: (value, aad) => encrypt(value, aad),
});

/** Reads with whichever the prefix names, in order; writes with the first. */
export function byPrefix(candidates: readonly Prefixed[], noMatch: string): Transformer {
  const parts = candidates.map(({ prefix, transformer }) => ({ prefix: Buffer.from(prefix), transformer }));
  const first = parts[0]!;
  return {
    get writer() {
      return first.transformer.writer;
    },
    write: (value, aad) => Buffer.concat([first.prefix, first.transformer.write(value, aad)]),
    read(stored, aad) {
      const matching = parts.filter(({ prefix }) => stored.subarray(0, prefix.length).equals(prefix));
      return readFirst(matching, stored, aad, noMatch);
    },
  };
}

/** Two keys may have one name: the next is tried. */
function readFirst(
  matching: readonly { prefix: Buffer; transformer: Transformer }[],
  stored: Buffer,
  aad: Buffer,
  noMatch: string,
  errors: readonly string[] = [],
): Plain | Promise<Plain> {
  const [next, ...others] = matching;
  if (!next) throw new TransformError(errors.length > 0 ? aggregateMessages(errors) : noMatch);
  const failed = (error: unknown) => {
    // Without a prefix anything may be tried: that it did not fit says nothing.
    const told = next.prefix.length === 0 ? errors : [...errors, (error as Error).message];
    return readFirst(others, stored, aad, noMatch, told);
  };
  try {
    const plain = next.transformer.read(stored.subarray(next.prefix.length), aad);
    return plain instanceof Promise ? plain.catch(failed) : plain;
  } catch (error) {
    return failed(error);
  }
}

const encrypted = Buffer.from('k8s:enc:');

/** As it is. Refuses what is encrypted: it must not be taken for an object. */
export const identity: Transformer = {
  writer: '',
  write: (value) => value,
  read(stored) {
    if (stored.subarray(0, encrypted.length).equals(encrypted)) {
      throw new TransformError('identity transformer tried to read encrypted data');
    }
    return { value: stored, writer: '' };
  },
};
