import { StatusError, type User } from '@kubernode/api';
import { forbidden } from '../authorization/forbidden.ts';
import type { Attributes, Authorizer, Credentials, Impersonator } from '../seams.ts';
import { authenticatedGroup, serviceAccountGroups, serviceAccountOf, unauthenticatedGroup } from './groups.ts';

const extraPrefix = 'impersonate-extra-';
const nodePrefix = 'system:node:';
const authenticationGroup = 'authentication.k8s.io';

/** What the headers ask for, before anything is added. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** How many users' last successful mode is remembered. */
const rememberedMax = 10_000;

/**
 * Impersonation, constrained (KEP-5284) or by the old `impersonate` verb. The way that last succeeded for a user is tried
 * first, then the constrained ones; when all refuse, the answer is the first refusal: so does the reference.
 */
export function createImpersonator(authorize: Authorizer): Impersonator {
  const lastModes = new Map<string, string>();
  const impersonated = async (user: User, wanted: Wanted, attributes: Attributes): Promise<User> => {
    const fitting = [...modesFor(user, wanted), legacyMode];
    const last = lastModes.get(user.name);
    const modes =
      last !== undefined && fitting.includes(last) ? [last, ...fitting.filter((mode) => mode !== last)] : fitting;
    let refusal: StatusError | undefined;
    for (const mode of modes) {
      const refused = await refusalOf(authorize, user, checksOf(mode, wanted, attributes));
      if (!refused) {
        if (lastModes.size >= rememberedMax) lastModes.clear();
        lastModes.set(user.name, mode);
        return actingUser(mode, wanted);
      }
      refusal ??= refused;
    }
    throw refusal!;
  };
  return (user, credentials, attributes) => {
    const wanted = wantedUser(credentials);
    return wanted ? impersonated(user, wanted, attributes) : user;
  };
}

/** The verb `impersonate` on users, groups and the rest, whatever the request. */
const legacyMode = '';

/** The constrained modes that fit the wanted user, most special first. */
function modesFor(user: User, wanted: Wanted): string[] {
  const onlyName = !wanted.uid && wanted.groups.length === 0 && Object.keys(wanted.extra).length === 0;
  if (wanted.name.startsWith(nodePrefix)) {
    if (!onlyName) return [];
    const [node] = user.extra?.['authentication.kubernetes.io/node-name'] ?? [];
    const isOwn = serviceAccountOf(user.name) !== undefined && wanted.name === `${nodePrefix}${node}`;
    return isOwn ? ['associated-node', 'arbitrary-node'] : ['arbitrary-node'];
  }
  if (serviceAccountOf(wanted.name)) return onlyName ? ['serviceaccount'] : [];
  return ['user-info'];
}

/** Everything that must be allowed: to do the request for somebody else at all, and to be each part of that user. */
function checksOf(mode: string, wanted: Wanted, attributes: Attributes): Attributes[] {
  const verb = mode ? `impersonate:${mode}` : 'impersonate';
  const group = mode ? authenticationGroup : '';
  const part = (resource: string, name: string, more: Partial<Attributes> = {}): Attributes => ({
    verb,
    group: authenticationGroup,
    version: 'v1',
    resource,
    subresource: '',
    namespace: '',
    name,
    path: '',
    ...more,
  });
  const account = serviceAccountOf(wanted.name);
  const nodeName = mode === 'associated-node' ? '*' : wanted.name.slice(nodePrefix.length);
  const who = account
    ? part('serviceaccounts', account.name, { namespace: account.namespace, group })
    : mode.endsWith('-node')
      ? part('nodes', nodeName)
      : part('users', wanted.name, { group });
  const extra = Object.entries(wanted.extra).flatMap(([key, values]) =>
    values.map((value) => part('userextras', value, { subresource: key })),
  );
  return [
    ...(mode ? [{ ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` }] : []),
    who,
    ...(wanted.uid ? [part('uids', wanted.uid)] : []),
    ...wanted.groups.map((name) => part('groups', name, { group })),
    ...extra,
  ];
}

async function refusalOf(
  authorize: Authorizer,
  user: User,
  checks: readonly Attributes[],
): Promise<StatusError | null> {
  for (const attributes of checks) {
    const decision = await authorize(user, attributes);
    if (!decision.allowed) return forbidden(user, attributes, decision.reason);
  }
  return null;
}

function actingUser(mode: string, wanted: Wanted): User {
  const account = serviceAccountOf(wanted.name);
  const given = mode.endsWith('-node') ? ['system:nodes'] : wanted.groups;
  const groups = given.length === 0 && account ? serviceAccountGroups(account.namespace) : [...given];
  const own = wanted.name === 'system:anonymous' ? unauthenticatedGroup : authenticatedGroup;
  if (!groups.includes(own) && !groups.includes(unauthenticatedGroup)) groups.push(own);
  const uid = wanted.uid ? { uid: wanted.uid } : {};
  const extra = Object.keys(wanted.extra).length > 0 ? { extra: wanted.extra } : {};
  return Object.freeze({ name: wanted.name, groups, ...uid, ...extra });
}

/** Reads the Impersonate-* headers; undefined where no user is named. Throws BadRequest for the rest without a user. */
function wantedUser({ headers }: Credentials): Wanted | undefined {
  const name = values(headers['impersonate-user'])[0] ?? '';
  const uid = values(headers['impersonate-uid'])[0] ?? '';
  const groupHeader = headers['impersonate-group'];
  const groups = values(groupHeader);
  const extra: Record<string, readonly string[]> = {};
  for (const header in headers)
    if (header.startsWith(extraPrefix)) extra[unescaped(header.slice(extraPrefix.length))] = values(headers[header]);
  if (name) return { name, uid, groups, extra };
  if (uid || groupHeader !== undefined || Object.keys(extra).length > 0) {
    const asked = JSON.stringify({ uid, groups, extra });
    throw StatusError.badRequest(`requested ${asked} without impersonating a user name`);
  }
  return undefined;
}

const values = (header: string | readonly string[] | undefined): readonly string[] =>
  typeof header === 'string' ? header.split(/, ?/) : (header ?? []);

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
