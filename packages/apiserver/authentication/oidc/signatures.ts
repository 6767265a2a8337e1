import { constants, createPublicKey, verify, type JsonWebKeyInput, type KeyObject } from 'node:crypto';

/** A key that an issuer publishes (RFC 7517). */
export interface PublishedKey {
  readonly keyId: string;
  readonly key: KeyObject;
}

/** The algorithms that tokens may be signed with: JWS names (RFC 7518). */
export const signingAlgorithms = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
] as const;

const curves: Readonly<Record<string, string>> = { ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1' };

/** Whether the key made the signature by the algorithm; false for a key of another kind. */
export function isSignature(algorithm: string, { key }: PublishedKey, body: Buffer, signature: Buffer): boolean {
  const hash = `sha${algorithm.slice(2)}`;
  if (algorithm.startsWith('ES')) {
    if (key.asymmetricKeyDetails?.namedCurve !== curves[algorithm]) return false;
    return verify(hash, body, { key, dsaEncoding: 'ieee-p1363' }, signature);
  }
  if (key.asymmetricKeyType !== 'rsa') return false;
  const isPss = algorithm.startsWith('PS');
  const padding = isPss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
  const salt = isPss ? { saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  return verify(hash, body, { key, padding, ...salt }, signature);
}

type Jwk = JsonWebKeyInput['key'] & { readonly kid?: string; readonly use?: string };

/** The keys of a JWK set; what cannot be read is left out, as keys for other uses are there too. Throws for no set. */
export function keysOfSet(text: string): PublishedKey[] {
  const { keys } = JSON.parse(text) as { readonly keys?: readonly Jwk[] };
  if (!Array.isArray(keys)) throw new Error('the answer has no "keys"');
  return keys.flatMap((jwk: Jwk) => {
    if (jwk.use !== undefined && jwk.use !== 'sig') return [];
    try {
      return [{ keyId: jwk.kid ?? '', key: createPublicKey({ key: jwk, format: 'jwk' }) }];
    } catch {
      return [];
    }
  });
}
