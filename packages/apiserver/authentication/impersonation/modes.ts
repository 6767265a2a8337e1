import type { User } from '@kubernode/api';
import { dns1123Subdomain } from '@kubernode/machinery';
import { serviceAccountOf } from '../groups.ts';
import type { Wanted } from './wanted.ts';

/** One way to become somebody else (KEP-5284): by a verb of its own, with what it asks of authorizers. */
export interface Mode {
  readonly name: string;
  readonly verb: string;
  /** Also the request itself must be allowed to be done for others. */
  readonly isConstrained: boolean;
  /** When the uid is looked at: clients see which check failed first. */
  readonly isUidFirst: boolean;
  readonly fits: (wanted: Wanted, user: User) => boolean;
}

const nodePrefix = 'system:node:';

/** The node's name in `system:node:NAME`; undefined for other users. */
export function nodeOfName(userName: string): string | undefined {
  if (!userName.startsWith(nodePrefix)) return undefined;
  const name = userName.slice(nodePrefix.length);
  return dns1123Subdomain(name).length === 0 ? name : undefined;
}

const isNameOnly = ({ uid, groups, extra }: Wanted): boolean =>
  !uid && groups.length === 0 && Object.keys(extra).length === 0;

const constrained = (name: string, fits: Mode['fits']): Mode => ({
  name,
  verb: `impersonate:${name}`,
  isConstrained: true,
  isUidFirst: true,
  fits,
});

/** The verb `impersonate` on users, groups and the rest, whatever the request. */
const legacy: Mode = { name: 'legacy', verb: 'impersonate', isConstrained: false, isUidFirst: true, fits: () => true };

/** Most special first. */
export const allModes: readonly Mode[] = [
  constrained('associated-node', (wanted, user) => isNameOnly(wanted) && isOwnNode(user, wanted.name)),
  constrained('arbitrary-node', (wanted) => isNameOnly(wanted) && nodeOfName(wanted.name) !== undefined),
  constrained('serviceaccount', (wanted) => isNameOnly(wanted) && serviceAccountOf(wanted.name) !== undefined),
  constrained('user-info', ({ name }) => nodeOfName(name) === undefined && serviceAccountOf(name) === undefined),
  legacy,
];

/** With the gate ConstrainedImpersonation off. */
export const legacyModes: readonly Mode[] = [{ ...legacy, isUidFirst: false }];

const nodeNameKey = 'authentication.kubernetes.io/node-name';

/** Whether the user is a service account whose token was given to a pod of that node. */
function isOwnNode(user: User, wantedName: string): boolean {
  const names = user.extra?.[nodeNameKey];
  return (
    serviceAccountOf(user.name) !== undefined && names?.length === 1 && nodeOfName(wantedName) === (names[0] ?? '')
  );
}

/** Decisions about the own node hold for every node, so authorizers are not told which one it is. */
export function asSeenBy(mode: Mode, user: User): User {
  if (mode.name !== 'associated-node') return user;
  const keys = Object.keys(user.extra ?? {}).sort();
  return { ...user, extra: { 'authentication.kubernetes.io/associated-node-keys': keys } };
}
