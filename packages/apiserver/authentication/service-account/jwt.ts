import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** A key that tokens are checked with: public, with the identifier that tokens name it by. */
export interface VerificationKey {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly algorithm: JwtAlgorithm;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

export type JwtAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

const hashes: Readonly<Record<JwtAlgorithm, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
};

/** Reads a PEM public or private key. Throws where it is neither RSA nor an ECDSA key on a NIST curve. */
export function verificationKey(pem: string): VerificationKey {
  const key = createPublicKey(pem);
  // As upstream: the hash of the public key, so that all servers name a key the same.
  const keyId = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  return { key, keyId, algorithm: algorithmOf(key) };
}

export function signingKey(pem: string): SigningKey {
  return { ...verificationKey(pem), privateKey: createPrivateKey(pem) };
}

export function algorithmOf(key: KeyObject): JwtAlgorithm {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (curve === 'prime256v1') return 'ES256';
  if (curve === 'secp384r1') return 'ES384';
  if (curve === 'secp521r1') return 'ES512';
  throw new Error(
    `service account key: type ${key.asymmetricKeyType} ${curve ?? ''}, expected RSA or ECDSA P-256/384/521`,
  );
}

/** A compact JWS (RFC 7515) of the claims. */
export function signJwt(claims: unknown, { algorithm, keyId, privateKey }: SigningKey): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${encode({ alg: algorithm, kid: keyId })}.${encode(claims)}`;
  const signature = sign(hashes[algorithm], Buffer.from(body), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${body}.${signature.toString('base64url')}`;
}

/** The claims of a token as they stand, unchecked; undefined where it is no JWT. Only to choose who checks it. */
export function unverifiedClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, claims, signature, more] = token.split('.', 4);
  if (claims === undefined || signature === undefined || more !== undefined) return undefined;
  return jsonObject(claims);
}

/** The `kid` of a token's header; '' where it has none, undefined where it is no JWT. */
export function keyIdOf(token: string): string | undefined {
  const header = jsonObject(token.slice(0, token.indexOf('.')));
  if (!header) return undefined;
  return typeof header['kid'] === 'string' ? header['kid'] : '';
}

/** The claims, where one of the keys made the signature; undefined otherwise. Says nothing of times and audiences. */
export function verifyJwt(
  token: string,
  keys: readonly VerificationKey[],
): Readonly<Record<string, unknown>> | undefined {
  const end = token.lastIndexOf('.');
  const header = jsonObject(token.slice(0, token.indexOf('.')));
  if (!header) return undefined;
  const body = Buffer.from(token.slice(0, end));
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  for (const { key, algorithm } of keys) {
    // The algorithm is the key's: a token cannot choose a weaker one.
    if (header['alg'] !== algorithm) continue;
    if (verify(hashes[algorithm], body, { key, dsaEncoding: 'ieee-p1363' }, signature)) return unverifiedClaims(token);
  }
  return undefined;
}

function jsonObject(base64url: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
