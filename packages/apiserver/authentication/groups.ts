import type { User } from '@kubernode/api';
import { dns1123Label, dns1123Subdomain } from '@kubernode/machinery';

export const authenticatedGroup = 'system:authenticated';
export const unauthenticatedGroup = 'system:unauthenticated';

/** Who asks without credentials. */
export const anonymous: User = Object.freeze({ name: 'system:anonymous', groups: [unauthenticatedGroup] });

/** The user with `system:authenticated` among its groups, frozen: caches are keyed by the object. */
export function authenticated(user: User): User {
  const groups = user.groups.includes(authenticatedGroup) ? user.groups : [...user.groups, authenticatedGroup];
  return Object.freeze({ ...user, groups });
}

const serviceAccountName = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** The parts of `system:serviceaccount:NAMESPACE:NAME`; undefined for other users. */
export function serviceAccountOf(userName: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = serviceAccountName.exec(userName) ?? [];
  if (!namespace || !name) return undefined;
  const isValid = dns1123Label(namespace).length === 0 && dns1123Subdomain(name).length === 0;
  return isValid ? { namespace, name } : undefined;
}

export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/**
 * The user of an in-process component, which proves nothing but its name: service accounts and nodes get the groups
 * that their credentials would give them, the API server itself is `system:masters`.
 */
export function userNamed(name: string): User {
  const account = serviceAccountOf(name);
  if (account) return authenticated({ name, groups: serviceAccountGroups(account.namespace) });
  if (name.startsWith('system:node:')) return authenticated({ name, groups: ['system:nodes'] });
  return authenticated({ name, groups: name === 'system:apiserver' ? ['system:masters'] : [] });
}
