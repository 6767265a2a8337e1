import { randomUUID } from 'node:crypto';
import type { KubernetesObject, User } from '@kubernode/api';
import type { Clock } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import { authenticated, serviceAccountGroups } from './groups.ts';
import { signJwt, unverifiedClaims, verifyJwt, type SigningKey, type VerificationKey } from './jwt.ts';

export interface ServiceAccountTokenOptions {
  readonly clock: Clock;
  readonly state: ClusterState;
  readonly signingKey: SigningKey;
  /** All keys whose tokens are good; the signing key's own is always among them. */
  readonly keys: readonly VerificationKey[];
  /** `--service-account-issuer`: the first is written into tokens, all are good. */
  readonly issuers: readonly string[];
}

/** An object by name and uid, as tokens name what they are bound to. */
export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

export interface TokenClaims {
  readonly namespace: string;
  readonly serviceAccount: BoundObject;
  readonly pod?: BoundObject | undefined;
  readonly secret?: BoundObject | undefined;
  readonly node?: BoundObject | undefined;
  readonly audiences: readonly string[];
  readonly lifetimeSeconds: number;
  /** When a token that lives longer than its holder expects should be reported as stale. */
  readonly warnAfterSeconds?: number | undefined;
}

export interface VerifiedToken {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** Makes and checks the tokens of service accounts (KEP-1205, bound service account tokens). */
export interface ServiceAccountTokens {
  sign(claims: TokenClaims): string;
  /** Whether the token says that it is one of ours; nothing is checked. */
  isOurs(token: string): boolean;
  /** Throws an Error that says what is wrong with the token, or with what it is bound to. Microseconds when seen before. */
  verify(token: string): VerifiedToken;
}

/** How many verified signatures are remembered. */
const rememberedMax = 10_000;
/** Clocks differ by this much (go-jose's default leeway). */
const leewayMs = 60_000;
/** How long a token outlives the deletion of what it is bound to, while that is still terminating. */
const terminatingLeewayMs = 60_000;

interface KnownToken extends VerifiedToken {
  readonly claims: PrivateClaims;
  readonly expiresMs: number;
  readonly notBeforeMs: number;
}

interface PrivateClaims {
  readonly namespace: string;
  readonly serviceaccount: BoundObject;
  readonly pod?: BoundObject;
  readonly secret?: BoundObject;
  readonly node?: BoundObject;
}

export function createServiceAccountTokens(options: ServiceAccountTokenOptions): ServiceAccountTokens {
  const { clock, state, signingKey, issuers } = options;
  const keys = [signingKey, ...options.keys.filter((key) => key.keyId !== signingKey.keyId)];
  const remembered = new Map<string, KnownToken>();
  return {
    sign: (claims) => signJwt(registeredClaims(claims, issuers[0]!, clock.now()), signingKey),
    isOurs: (token) => remembered.has(token) || issuers.includes(unverifiedClaims(token)?.['iss'] as string),
    verify(token) {
      let known = remembered.get(token);
      if (!known) {
        known = knownToken(verifyJwt(token, keys));
        if (remembered.size >= rememberedMax) remembered.clear();
        remembered.set(token, known);
      }
      const nowMs = clock.now();
      if (nowMs > known.expiresMs + leewayMs) {
        remembered.delete(token);
        throw new Error('service account token has expired');
      }
      if (nowMs < known.notBeforeMs - leewayMs) throw new Error('service account token is not valid yet');
      checkBoundObjects(known.claims, state, nowMs);
      return known;
    },
  };
}

function registeredClaims(claims: TokenClaims, issuer: string, nowMs: number): Record<string, unknown> {
  const now = Math.floor(nowMs / 1000);
  const { namespace, serviceAccount, pod, secret, node, warnAfterSeconds } = claims;
  return {
    aud: claims.audiences,
    exp: now + claims.lifetimeSeconds,
    iat: now,
    iss: issuer,
    jti: randomUUID(),
    'kubernetes.io': {
      namespace,
      ...(node ? { node } : {}),
      ...(pod ? { pod } : {}),
      ...(secret ? { secret } : {}),
      serviceaccount: serviceAccount,
      ...(warnAfterSeconds === undefined ? {} : { warnafter: now + warnAfterSeconds }),
    },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
  };
}

function knownToken(claims: Readonly<Record<string, unknown>> | undefined): KnownToken {
  const ours = claims?.['kubernetes.io'] as PrivateClaims | undefined;
  if (!claims || !ours?.serviceaccount) throw new Error('invalid bearer token');
  const audience = claims['aud'];
  const { namespace, serviceaccount } = ours;
  return {
    claims: ours,
    audiences: Array.isArray(audience) ? (audience as string[]) : typeof audience === 'string' ? [audience] : [],
    expiresMs: Number(claims['exp'] ?? 0) * 1000,
    notBeforeMs: Number(claims['nbf'] ?? 0) * 1000,
    user: authenticated({
      name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
      uid: serviceaccount.uid,
      groups: serviceAccountGroups(namespace),
      extra: extraOf(ours, claims['jti']),
    }),
  };
}

function extraOf({ pod, node }: PrivateClaims, tokenId: unknown): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  if (typeof tokenId === 'string') extra['authentication.kubernetes.io/credential-id'] = [`JTI=${tokenId}`];
  if (node) {
    extra['authentication.kubernetes.io/node-name'] = [node.name];
    extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  }
  if (pod) {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name];
    extra['authentication.kubernetes.io/pod-uid'] = [pod.uid];
  }
  return extra;
}

/** A token ends with the account and the object that it is bound to. */
function checkBoundObjects(claims: PrivateClaims, state: ClusterState, nowMs: number): void {
  const { namespace, serviceaccount, pod, secret, node } = claims;
  const check = (what: string, wanted: BoundObject, object: KubernetesObject | undefined) => {
    const deletedMs = Date.parse(object?.metadata.deletionTimestamp ?? '');
    if (!object || deletedMs + terminatingLeewayMs < nowMs) throw new Error(`${what} has been deleted`);
    if (object.metadata.uid !== wanted.uid)
      throw new Error(`${what} UID (${object.metadata.uid}) does not match claim (${wanted.uid})`);
  };
  const account = state.get('', 'serviceaccounts', serviceaccount.name, namespace);
  check(`service account ${namespace}/${serviceaccount.name}`, serviceaccount, account);
  if (secret) check('service account token', secret, state.get('', 'secrets', secret.name, namespace));
  if (pod) check('pod', pod, state.get('', 'pods', pod.name, namespace));
  // A pod's token only says on which node it was made; a token that is bound to a node alone ends with it.
  if (node && !pod) check('node', node, state.get('', 'nodes', node.name));
}
