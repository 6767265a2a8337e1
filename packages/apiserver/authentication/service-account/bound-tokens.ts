import type { IsEnabled, User } from '@kubernode/api';
import type { Secret } from '@kubernode/api/core/v1';
import { BoundedMap, type Clock } from '@kubernode/machinery';
import type { ClusterState } from '../../seams.ts';
import { credentialIdKey } from '../client-certificate.ts';
import { quotedList } from '../go-quote.ts';
import { authenticated, serviceAccountGroups } from '../groups.ts';
import type { TokenAuthenticator, TokenIdentity } from '../outcome.ts';
import { checkBoundObjects } from './bound-objects.ts';
import type { PrivateClaims } from './claims.ts';
import { keyIdOf, unverifiedClaims, verifyJwt, type VerificationKey } from './jwt.ts';
import type { TokenKeys } from './keys.ts';
import type { ServiceAccountMetrics } from './metrics.ts';
import type { SecretUse } from './secret-use.ts';

export interface BoundTokenOptions {
  readonly clock: Clock;
  readonly state: ClusterState;
  readonly keys: TokenKeys;
  /** `--service-account-issuer`: tokens of all of them are good. */
  readonly issuers: readonly string[];
  /** `--api-audiences`: what a token without audiences is meant for. */
  readonly apiAudiences: readonly string[];
  readonly isEnabled: IsEnabled;
  /** Tokens without an end lie in Secrets, and are bound to them. */
  readonly secretUse: SecretUse;
  readonly metrics?: ServiceAccountMetrics | undefined;
}

/** How many verified signatures are remembered. */
const rememberedMax = 10_000;
/** Clocks differ by this much (go-jose's default leeway). */
const leewayMs = 60_000;

interface KnownToken {
  readonly user: User;
  readonly claims: PrivateClaims;
  readonly audiences: readonly string[];
  readonly expiresMs: number;
  readonly notBeforeMs: number;
  readonly issuedMs: number;
}

/**
 * Bound service account tokens (KEP-1205, KEP-4193): their signature, time, audience, and that what they are bound to is
 * still there. Microseconds for a token that was seen before.
 */
export function boundTokens(options: BoundTokenOptions): TokenAuthenticator {
  const { issuers, keys } = options;
  const remembered = new BoundedMap<string, KnownToken>(rememberedMax);
  const accept = (token: string, known: KnownToken, wanted: readonly string[]): TokenIdentity => {
    const audiences = wanted.filter((audience) => known.audiences.includes(audience));
    if (audiences.length === 0) throw wrongAudience(known.audiences, wanted);
    const nowMs = options.clock.now();
    if (nowMs > known.expiresMs + leewayMs) {
      remembered.delete(token);
      throw new Error('service account token has expired');
    }
    if (nowMs < known.notBeforeMs - leewayMs) throw new Error('service account token is not valid yet');
    if (nowMs < known.issuedMs - leewayMs) throw new Error('service account token is issued in the future');
    checkBoundObjects(known.claims, options.state, nowMs);
    if (known.claims.secret) noteSecret(known.claims, options);
    options.metrics?.used(known.claims.warnafter, nowMs);
    return { user: known.user, audiences };
  };
  const learn = (token: string, wanted: readonly string[], found: readonly VerificationKey[]): TokenIdentity => {
    const known = knownToken(verified(token, found), options);
    remembered.set(token, known);
    return accept(token, known, wanted);
  };
  return {
    identify(token, wanted) {
      const known = remembered.get(token);
      if (known) return accept(token, known, wanted);
      if (!issuers.includes(unverifiedClaims(token)?.['iss'] as string)) return undefined;
      const keyId = keyIdOf(token);
      if (keyId === undefined) return undefined;
      const found = keys.keysFor(keyId);
      return found instanceof Promise
        ? found.then((later) => learn(token, wanted, later))
        : learn(token, wanted, found);
    },
  };
}

/** Only of Secrets that hold tokens: a token may be bound to any Secret. */
function noteSecret(
  { namespace, secret, serviceaccount }: PrivateClaims,
  { state, secretUse }: BoundTokenOptions,
): void {
  const stored = state.get('', 'secrets', secret!.name, namespace) as Secret | undefined;
  if (stored?.type === 'kubernetes.io/service-account-token') secretUse.note(stored, serviceaccount.name);
}

export const wrongAudience = (found: readonly string[], wanted: readonly string[]): Error =>
  new Error(`token audiences ${quotedList(found)} is invalid for the target audiences ${quotedList(wanted)}`);

/** The claims. Throws where none of the keys made the signature. */
export function verified(token: string, keys: readonly VerificationKey[]): Readonly<Record<string, unknown>> {
  if (keys.length === 0) throw new Error('invalid signature, no keys found');
  const claims = verifyJwt(token, keys);
  if (!claims) throw new Error('go-jose/go-jose: error in cryptographic primitive');
  return claims;
}

export function audiencesOf(claims: Readonly<Record<string, unknown>>): readonly string[] {
  const audience = claims['aud'];
  if (typeof audience === 'string') return [audience];
  return Array.isArray(audience) ? audience.filter((item) => typeof item === 'string') : [];
}

function knownToken(claims: Readonly<Record<string, unknown>>, options: BoundTokenOptions): KnownToken {
  const ours = claims['kubernetes.io'] as PrivateClaims | undefined;
  if (!ours?.serviceaccount?.name) throw new Error('service account token claims could not be validated');
  const audiences = audiencesOf(claims);
  if (audiences.length === 0) options.metrics?.withoutAudience();
  if (ours.node && !ours.pod && !options.isEnabled('ServiceAccountTokenNodeBindingValidation')) {
    throw new Error(
      'token is bound to a Node object but the ServiceAccountTokenNodeBindingValidation feature gate is disabled',
    );
  }
  const { namespace, serviceaccount } = ours;
  const milliseconds = (name: string) => Number(claims[name] ?? 0) * 1000;
  return {
    claims: ours,
    audiences: audiences.length > 0 ? audiences : options.apiAudiences,
    expiresMs: claims['exp'] === undefined ? Infinity : milliseconds('exp'),
    notBeforeMs: milliseconds('nbf'),
    issuedMs: milliseconds('iat'),
    user: authenticated({
      name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
      uid: serviceaccount.uid,
      groups: serviceAccountGroups(namespace),
      extra: extraOf(ours, claims['jti'], options.isEnabled),
    }),
  };
}

function extraOf({ pod, node }: PrivateClaims, tokenId: unknown, isEnabled: IsEnabled): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  if (typeof tokenId === 'string' && isEnabled('ServiceAccountTokenJTI')) extra[credentialIdKey] = [`JTI=${tokenId}`];
  if (node && (!pod || isEnabled('ServiceAccountTokenPodNodeInfo'))) {
    extra['authentication.kubernetes.io/node-name'] = [node.name];
    if (node.uid) extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  }
  if (pod) {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name];
    extra['authentication.kubernetes.io/pod-uid'] = [pod.uid];
  }
  return extra;
}
