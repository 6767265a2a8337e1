import { StatusError, type User } from '@kubernode/api';
import type { UserInfo } from '@kubernode/api/authentication/v1';
import type { SelfSubjectRulesReview } from '@kubernode/api/authorization/v1';
import { aggregateMessages, formatTime, type Clock } from '@kubernode/machinery';
import type { UserRules } from '../authorization/part.ts';
import type { VirtualResource } from '../seams.ts';

/** Who am I (KEP-3325)? */
export function selfSubjectReview(clock: Clock): VirtualResource {
  return {
    group: 'authentication.k8s.io',
    version: 'v1',
    resource: 'selfsubjectreviews',
    subresource: '',
    kind: 'SelfSubjectReview',
    create: ({ object, user }) => ({
      ...object,
      metadata: { ...object.metadata, creationTimestamp: formatTime(clock.now()) },
      status: { userInfo: userInfo(user) },
    }),
  };
}

/** A user as the API shows one. */
export function userInfo({ name, uid, groups, extra }: User): UserInfo {
  const copied = extra && Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  return { username: name, ...(uid ? { uid } : {}), groups: [...groups], ...(copied ? { extra: copied } : {}) };
}

/** What may I do in this namespace, as far as the authorizers can list it? */
export function selfSubjectRulesReview(rulesFor: (user: User, namespace: string) => UserRules): VirtualResource {
  return {
    group: 'authorization.k8s.io',
    version: 'v1',
    resource: 'selfsubjectrulesreviews',
    subresource: '',
    kind: 'SelfSubjectRulesReview',
    create({ object, user }) {
      const namespace = (object as SelfSubjectRulesReview).spec?.namespace;
      if (!namespace) throw StatusError.badRequest('no namespace on request');
      const {
        resourceRules,
        nonResourceRules,
        isIncomplete: incomplete = false,
        errors = [],
      } = rulesFor(user, namespace);
      const evaluationError = errors.length > 0 ? { evaluationError: aggregateMessages(errors) } : {};
      // What was asked is not said again, nor who asked.
      const { kind, apiVersion } = object;
      return {
        kind,
        apiVersion,
        metadata: {},
        spec: {},
        status: { resourceRules, nonResourceRules, incomplete, ...evaluationError },
      };
    },
  };
}
