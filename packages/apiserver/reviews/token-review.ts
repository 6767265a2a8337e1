import { StatusError } from '@kubernode/api';
import type { TokenReview, TokenReviewStatus } from '@kubernode/api/authentication/v1';
import type { Authentication } from '../authentication/authenticator.ts';
import type { TokenIdentity } from '../authentication/outcome.ts';
import type { VirtualResource } from '../seams.ts';
import { userInfo } from './self-reviews.ts';

/** Whose token is this, and is it meant for me? */
export function tokenReview(authentication: Authentication, apiAudiences: readonly string[]): VirtualResource {
  return {
    group: 'authentication.k8s.io',
    version: 'v1',
    resource: 'tokenreviews',
    subresource: '',
    kind: 'TokenReview',
    async create({ object, attributes }) {
      const review = object as TokenReview;
      const { token = '', audiences = [] } = review.spec ?? {};
      if (attributes.namespace)
        throw StatusError.badRequest(`namespace is not allowed on this type: ${attributes.namespace}`);
      if (token === '') throw StatusError.badRequest('token is required for TokenReview in authentication');
      return {
        ...review,
        status: await statusOf(authentication, token, audiences.length > 0 ? audiences : apiAudiences),
      };
    },
  };
}

async function statusOf(
  { identify }: Authentication,
  token: string,
  wanted: readonly string[],
): Promise<TokenReviewStatus> {
  let found: TokenIdentity | undefined;
  try {
    found = await identify(token, wanted);
  } catch (error) {
    return { user: {}, error: alsoUnknown((error as Error).message) };
  }
  if (!found) return { user: {}, error: unknownToken };
  return { authenticated: true, user: userInfo(found.user), audiences: [...found.audiences] };
}

const unknownToken = 'invalid bearer token';

/** The server's own token is tried first, and says so too. */
const alsoUnknown = (message: string): string =>
  message === unknownToken ? message : `[${unknownToken}, ${message.replace(/^\[([^]*)\]$/, '$1')}]`;
