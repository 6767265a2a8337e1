import type { Soon } from '../outcome.ts';
import type { VerificationKey } from './jwt.ts';

/** Where the keys come from that tokens are checked with: files, or a signer outside. */
export interface TokenKeys {
  /** Keys of that identifier; all for ''. */
  keysFor(keyId: string): Soon<readonly VerificationKey[]>;
  /** Those that others may know, for /openid/v1/jwks. */
  published(): readonly VerificationKey[];
  /** How long others may keep them. */
  readonly maxAgeSeconds: () => number;
}

export function staticKeys(keys: readonly VerificationKey[]): TokenKeys {
  return {
    keysFor: (keyId) => (keyId === '' ? keys : keys.filter((key) => key.keyId === keyId)),
    published: () => keys,
    maxAgeSeconds: () => 3600,
  };
}
