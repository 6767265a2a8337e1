import { unverifiedClaims } from '../service-account/jwt.ts';
import { verifyIdToken, type Claims, type IdTokenRules } from './id-token.ts';
import type { Provider } from './provider.ts';

/** Finds the provider of an issuer; the same one for the same issuer. */
export type Providers = (issuer: string) => Provider;

/**
 * Adds a claim that is kept elsewhere (OpenID Connect Core 5.6.2): a token of another place, checked like any other.
 * Rejects in upstream's words.
 */
export async function withDistributedClaim(
  claims: Claims,
  name: string,
  providers: Providers,
  own: Provider,
  rules: Omit<IdTokenRules, 'issuer'>,
): Promise<Claims> {
  const names = claims['_claim_names'] as Readonly<Record<string, string>> | undefined;
  if (Object.hasOwn(claims, name) || names === undefined) return claims;
  const sources = claims['_claim_sources'] as Readonly<Record<string, Source>> | undefined;
  if (sources === undefined) throw new Error('oidc: no claim sources');
  if (!Object.hasOwn(names, name)) return claims;
  const sourceName = names[name]!;
  if (!Object.hasOwn(sources, sourceName)) {
    throw new Error(`id token _claim_names contained a source ${sourceName} missing in _claims_sources`);
  }
  const { endpoint = '', access_token: accessToken = '' } = sources[sourceName]!;
  if (endpoint === '') return claims;
  const token = await told(`while getting distributed claim ${JSON.stringify(name)}`, own.get(endpoint, accessToken));
  const issuer = unverifiedClaims(token)?.['iss'];
  if (typeof issuer !== 'string') {
    throw new Error(
      `getting untrusted issuer from endpoint ${endpoint} failed for claim ${JSON.stringify(name)}: malformed token`,
    );
  }
  const provider = providers(issuer);
  if (provider.problem) {
    const why = `verifier not initialized for issuer: ${JSON.stringify(issuer)}`;
    throw new Error(`verifying untrusted issuer ${issuer} failed: ${why}`);
  }
  const found = await told('verify distributed claim token', verifyIdToken(token, provider, { ...rules, issuer }));
  if (Object.hasOwn(found, name)) return { ...claims, [name]: found[name] };
  throw new Error(
    `jwt returned by distributed claim endpoint ${JSON.stringify(endpoint)} did not contain claim: ${name}`,
  );
}

interface Source {
  readonly endpoint?: string;
  readonly access_token?: string;
}

async function told<T>(what: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
