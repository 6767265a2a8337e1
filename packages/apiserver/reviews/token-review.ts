import { StatusError } from '@kubernode/api';
import type { TokenReview, TokenReviewStatus } from '@kubernode/api/authentication/v1';
import type { Authentication } from '../authentication/authenticator.ts';
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
    create({ object, attributes }) {
      const review = object as TokenReview;
      const { token = '', audiences = [] } = review.spec ?? {};
      if (attributes.namespace)
        throw StatusError.badRequest(`namespace is not allowed on this type: ${attributes.namespace}`);
      if (token === '') throw StatusError.badRequest('token is required for TokenReview in authentication');
      return { ...review, status: statusOf(authentication, token, audiences.length > 0 ? audiences : apiAudiences) };
    },
  };
}

function statusOf(authentication: Authentication, token: string, wanted: readonly string[]): TokenReviewStatus {
  try {
    const { user, audiences } = authentication.identify(token, wanted);
    // A token of the token file is good for this API server, and for nobody else.
    if (audiences.length === 0) return { user: {} };
    return { authenticated: true, user: userInfo(user), audiences: [...audiences] };
  } catch (error) {
    return { user: {}, error: (error as Error).message };
  }
}
