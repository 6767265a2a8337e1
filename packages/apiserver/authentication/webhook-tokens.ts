import type { User } from '@kubernode/api';
import type { TokenReview, TokenReviewStatus, UserInfo } from '@kubernode/api/authentication/v1';
import type { Clock } from '@kubernode/machinery';
import type { Destination } from '../outbound/destination.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { postReview } from '../outbound/review.ts';
import { authenticated } from './groups.ts';
import type { TokenAuthenticator } from './outcome.ts';
import { cachedTokens } from './token-cache.ts';

export interface WebhookTokenOptions {
  readonly destination: Destination;
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** `--authentication-token-webhook-version`: of the TokenReview that is sent. */
  readonly version: 'v1' | 'v1beta1';
  /** `--authentication-token-webhook-cache-ttl`. */
  readonly cacheMs: number;
  /** What a token is meant for when the webhook does not say. */
  readonly apiAudiences: readonly string[];
}

const timeoutMs = 30_000;

/** Asks a webhook whose token it is, by TokenReview; its answers are remembered, also that it does not know. */
export function webhookTokens(options: WebhookTokenOptions): TokenAuthenticator {
  const { destination, outbound, clock, version, cacheMs, apiAudiences } = options;
  const asked: TokenAuthenticator = {
    async identify(token, wanted) {
      const review = await postReview<Partial<TokenReview>>(
        destination,
        {
          kind: 'TokenReview',
          apiVersion: `authentication.k8s.io/${version}`,
          metadata: {},
          spec: { token, audiences: wanted },
          status: { user: {} },
        },
        { outbound, clock, timeoutMs },
      );
      const status: Partial<TokenReviewStatus> = review.status ?? {};
      const found = status.audiences?.length ? status.audiences : apiAudiences;
      const audiences = wanted.filter((audience) => found.includes(audience));
      if (audiences.length === 0) return undefined;
      if (status.authenticated) return { user: userOf(status.user ?? {}), audiences };
      if (status.error) throw new Error(status.error);
      return undefined;
    },
  };
  return cachedTokens({ clock, successMs: cacheMs, failureMs: cacheMs }, asked);
}

function userOf({ username = '', uid, groups, extra }: Partial<UserInfo>): User {
  const user = { name: username, groups: groups ?? [], ...(uid && { uid }), ...(extra && { extra }) };
  return authenticated(user);
}
