import type { User } from '@kubernode/api';
import type { AdmissionRequest } from '../../seams.ts';
import type { ReviewedVersion } from './reviewed-request.ts';

/**
 * admission/v1 AdmissionRequest without uid and objects, in the order and with the omissions of its JSON. The request has
 * a review.
 */
export function requestFields(request: AdmissionRequest, version: ReviewedVersion): Readonly<Record<string, unknown>> {
  const { operation, attributes, user, dryRun } = request;
  const review = request.review!;
  const { subresource } = attributes;
  const { name, namespace } = review;
  return {
    kind: version.kind,
    resource: version.resource,
    ...(subresource && { subResource: subresource }),
    requestKind: review.version.kind,
    requestResource: review.version.resource,
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun,
    options: review.options ?? null,
  };
}

/** authentication/v1 UserInfo. */
export function userInfo({ name, uid, groups, extra }: User): Readonly<Record<string, unknown>> {
  return {
    ...(name && { username: name }),
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra && Object.keys(extra).length > 0 && { extra: sorted(extra) }),
  };
}

const sorted = <T>(map: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
