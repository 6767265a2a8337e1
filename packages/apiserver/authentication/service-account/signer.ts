import type { Clock } from '@kubernode/machinery';
import type { Soon } from '../outcome.ts';
import { registeredClaims, type TokenClaims } from './claims.ts';
import { signJwt, type SigningKey } from './jwt.ts';

/** Makes the tokens of service accounts. */
export interface TokenSigner {
  /** Throws Error where it cannot. */
  sign(claims: TokenClaims): Soon<string>;
  /** The longest lifetime that it gives. */
  readonly maxLifetimeSeconds?: number | undefined;
}

export interface LocalSignerOptions {
  readonly clock: Clock;
  readonly signingKey: SigningKey;
  /** `--service-account-issuer`: the first. */
  readonly issuer: string;
  /** The gate ServiceAccountTokenJTI. */
  readonly hasId: boolean;
}

/** Signs with a key of our own. */
export function localSigner({ clock, signingKey, issuer, hasId }: LocalSignerOptions): TokenSigner {
  return {
    sign: (claims) => signJwt(registeredClaims(claims, { issuer, nowMs: clock.now(), hasId }), signingKey),
  };
}
