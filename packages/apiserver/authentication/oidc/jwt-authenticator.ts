import type { Clock, Logger } from '@kubernode/machinery';
import type { Outbound } from '../../outbound/outbound.ts';
import { authenticated } from '../groups.ts';
import type { TokenAuthenticator } from '../outcome.ts';
import { unverifiedClaims } from '../service-account/jwt.ts';
import { withDistributedClaim } from './distributed-claims.ts';
import { verifyIdToken } from './id-token.ts';
import type { OidcMetrics } from './metrics.ts';
import { Provider } from './provider.ts';
import { userOfClaims } from './user.ts';
import type { CompiledAuthenticator } from './validate.ts';

export interface JwtAuthenticatorOptions {
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** Ends its attempts to find its provider. */
  readonly signal: AbortSignal;
  readonly algorithms: readonly string[];
  readonly log?: Logger | undefined;
  readonly metrics?: OidcMetrics | undefined;
}

/** Tokens of one issuer. */
export interface JwtIssuer extends TokenAuthenticator {
  /** Why it cannot check tokens yet. */
  problem(): Error | undefined;
}

/** Each issuer of a distributed claim is asked for its keys from then on, and tokens name them. */
const othersMax = 100;

export function jwtIssuer(compiled: CompiledAuthenticator, options: JwtAuthenticatorOptions): JwtIssuer {
  const { issuer = {}, claimMappings } = compiled.configuration;
  const { url = '', audiences = [] } = issuer;
  const { metrics, algorithms, clock } = options;
  const common = { ...options, ca: issuer.certificateAuthority || undefined };
  const provider = new Provider({
    ...common,
    issuer: url,
    discoveryUrl: issuer.discoveryURL || undefined,
    onKeys: metrics && ((text) => metrics.keysFetched(url, text)),
  });
  const others = new Map<string, Provider>();
  const providerOf = (name: string): Provider => {
    const known = others.get(name);
    if (known) return known;
    if (others.size >= othersMax) throw new Error(`distributed claims are of more than ${othersMax} issuers`);
    const other = new Provider({ ...common, issuer: name });
    others.set(name, other);
    return other;
  };
  const check = async (token: string, wanted: readonly string[]) => {
    const rules = { audiences, algorithms, nowMs: clock.now() };
    let claims = await verifyIdToken(token, provider, { ...rules, issuer: url }).catch((error: Error) => {
      throw new Error(`oidc: verify token: ${error.message}`, { cause: error });
    });
    const groupsClaim = claimMappings?.groups?.claim;
    if (groupsClaim) {
      claims = await withDistributedClaim(claims, groupsClaim, providerOf, provider, rules).catch((error: Error) => {
        throw new Error(`oidc: could not expand distributed claims: ${error.message}`, { cause: error });
      });
    }
    return { user: authenticated(userOfClaims(claims, compiled)), audiences: wanted };
  };
  return {
    problem: () => provider.problem,
    identify(token, wanted) {
      const found = unverifiedClaims(token)?.['iss'];
      if (found !== url && !(found === 'accounts.google.com' && url === 'https://accounts.google.com'))
        return undefined;
      if (provider.problem) throw new Error('oidc: authenticator not initialized');
      return metrics ? metrics.timed(url, () => check(token, wanted)) : check(token, wanted);
    },
  };
}
