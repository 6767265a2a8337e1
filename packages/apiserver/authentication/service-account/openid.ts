import type { PlainDocument } from '../../seams.ts';
import type { VerificationKey } from './jwt.ts';
import type { TokenKeys } from './keys.ts';

/**
 * What others need to check our tokens: the keys (RFC 7517) and where to find them (OpenID Connect Discovery 1.0, as far
 * as KEP-1393 goes).
 */
export function openIdDocuments(issuer: string, keys: TokenKeys, jwksUri: string | undefined): PlainDocument[] {
  return [
    {
      path: '/.well-known/openid-configuration',
      contentType: 'application/json',
      get headers() {
        return cacheable(keys);
      },
      body: (address) =>
        JSON.stringify({
          issuer,
          jwks_uri: jwksUri ?? `https://${address}/openid/v1/jwks`,
          response_types_supported: ['id_token'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: [
            ...new Set(keys.published().map(({ algorithm }) => algorithm)),
          ].sort(),
        }),
    },
    {
      path: '/openid/v1/jwks',
      contentType: 'application/jwk-set+json',
      get headers() {
        return cacheable(keys);
      },
      body: () => JSON.stringify({ keys: keys.published().map(jwk) }),
    },
  ];
}

const jwk = ({ key, keyId, algorithm }: VerificationKey) => ({
  use: 'sig',
  kid: keyId,
  alg: algorithm,
  ...key.export({ format: 'jwk' }),
});

const cacheable = ({ maxAgeSeconds }: TokenKeys) => ({ 'cache-control': `public, max-age=${maxAgeSeconds()}` });
