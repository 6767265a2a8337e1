import { randomUUID } from 'node:crypto';

/** An object by name and uid, as tokens name what they are bound to. */
export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

/** What a token is to say. */
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

/** The claim `kubernetes.io` (KEP-1205). */
export interface PrivateClaims {
  readonly namespace: string;
  readonly serviceaccount: BoundObject;
  readonly pod?: BoundObject;
  readonly secret?: BoundObject;
  readonly node?: BoundObject;
  /** Seconds since the epoch. */
  readonly warnafter?: number;
}

/** The claims of a new token; `issuer` undefined where the signer adds it. */
export function registeredClaims(
  claims: TokenClaims,
  { issuer, nowMs, hasId }: { readonly issuer?: string | undefined; readonly nowMs: number; readonly hasId: boolean },
): Record<string, unknown> {
  const now = Math.floor(nowMs / 1000);
  const { namespace, serviceAccount, pod, secret, node, warnAfterSeconds } = claims;
  return {
    aud: claims.audiences,
    exp: now + claims.lifetimeSeconds,
    iat: now,
    ...(issuer !== undefined && { iss: issuer }),
    ...(hasId && { jti: randomUUID() }),
    'kubernetes.io': {
      namespace,
      ...(node && { node }),
      ...(pod && { pod }),
      ...(secret && { secret }),
      serviceaccount: serviceAccount,
      ...(warnAfterSeconds !== undefined && { warnafter: now + warnAfterSeconds }),
    },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
  };
}
