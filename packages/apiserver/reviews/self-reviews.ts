import { StatusError, type User } from '@kubernode/api';
import type { UserInfo } from '@kubernode/api/authentication/v1';
import type { NonResourceRule, ResourceRule, SelfSubjectRulesReview } from '@kubernode/api/authorization/v1';
import { formatTime, type Clock } from '@kubernode/machinery';
import { nodeOf } from '../authorization/node-identity.ts';
import { aggregate, type Rbac } from '../authorization/rbac.ts';
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

/** What may I do in this namespace? RBAC can say; a node's rights cannot be listed. */
export function selfSubjectRulesReview(rbac: Rbac): VirtualResource {
  return {
    group: 'authorization.k8s.io',
    version: 'v1',
    resource: 'selfsubjectrulesreviews',
    subresource: '',
    kind: 'SelfSubjectRulesReview',
    create({ object, user }) {
      const namespace = (object as SelfSubjectRulesReview).spec?.namespace;
      if (!namespace) throw StatusError.badRequest('no namespace on request');
      const errors: string[] = [];
      const resourceRules: ResourceRule[] = [];
      const nonResourceRules: NonResourceRule[] = [];
      for (const { rule } of rbac.index.rulesFor(user, namespace, (message) => errors.push(message))) {
        const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
        if (resources?.length)
          resourceRules.push({ verbs, apiGroups, resources, ...(resourceNames?.length ? { resourceNames } : {}) });
        if (nonResourceURLs?.length) nonResourceRules.push({ verbs, nonResourceURLs });
      }
      if (nodeOf(user)) errors.push('node authorizer does not support user rule resolution');
      const incomplete = errors.length > 0;
      const evaluationError = incomplete ? { evaluationError: aggregate(errors) } : {};
      return { ...object, spec: {}, status: { resourceRules, nonResourceRules, incomplete, ...evaluationError } };
    },
  };
}
