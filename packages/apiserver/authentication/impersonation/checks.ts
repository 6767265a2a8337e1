import type { StatusError, User } from '@kubernode/api';
import { forbidden } from '../../authorization/forbidden.ts';
import type { Attributes, Authorizer } from '../../seams.ts';
import { quotedList } from '../go-quote.ts';
import { serviceAccountOf } from '../groups.ts';
import { extraProblem } from './extra.ts';
import { nodeOfName, type Mode } from './modes.ts';
import type { Wanted } from './wanted.ts';

/** Who asks, for whom, by which mode. */
export interface Attempt {
  readonly mode: Mode;
  /** Who asks, as authorizers are told. */
  readonly user: User;
  readonly wanted: Wanted;
  /** Of the request that is to be done for somebody else. */
  readonly request: Attributes;
}

const authenticationGroup = 'authentication.k8s.io';
/** From so many single checks on, one check for all of them ('*') is tried first. */
const manyChecks = 4;

/** Why the attempt is refused: the first of its checks that fails (apiserver, filters/impersonation/mode.go). */
export async function refusalOf(authorize: Authorizer, attempt: Attempt): Promise<StatusError | undefined> {
  const { mode, user, request, wanted } = attempt;
  const allowed = async (attributes: Attributes): Promise<StatusError | undefined> => {
    const decision = await authorize(user, attributes);
    if (decision.allowed) return undefined;
    const { error, reason } = decision;
    return forbidden(user, attributes, error && reason ? `${error}: ${reason}` : error || reason);
  };
  if (mode.isConstrained) {
    const refused = await allowed({ ...request, verb: `impersonate-on:${mode.name}:${request.verb}` });
    if (refused) return refused;
  }
  const uid = wanted.uid ? () => allowed(part(mode, 'uids', wanted.uid)) : undefined;
  const steps = [
    () => checkName(attempt, allowed),
    ...(uid && mode.isUidFirst ? [uid] : []),
    () => checkGroups(attempt, allowed),
    () => checkExtra(attempt, allowed),
    ...(uid && !mode.isUidFirst ? [uid] : []),
  ];
  for (const step of steps) {
    const refused = await step();
    if (refused) return refused;
  }
  return undefined;
}

type Allowed = (attributes: Attributes) => Promise<StatusError | undefined>;

/** To be one part of the wanted user. Users, groups and accounts are in the core group for the old verb. */
function part({ verb, isConstrained }: Mode, resource: string, name: string, more: Partial<Attributes> = {}) {
  const isCore = !isConstrained && resource !== 'uids' && resource !== 'userextras';
  const group = isCore ? '' : authenticationGroup;
  return { verb, group, version: 'v1', resource, subresource: '', namespace: '', name, path: '', ...more };
}

async function checkName({ mode, user, wanted }: Attempt, allowed: Allowed): Promise<StatusError | undefined> {
  const account = serviceAccountOf(wanted.name);
  const node = mode.isConstrained ? nodeOfName(wanted.name) : undefined;
  if (account) {
    const attributes = part(mode, 'serviceaccounts', account.name, { namespace: account.namespace });
    const isAlone = !mode.isConstrained || wanted.groups.length === 0;
    if (isAlone) return allowed(attributes);
    const why = `when impersonating a service account, cannot impersonate groups ${quotedList(wanted.groups)}`;
    return forbidden(user, attributes, why);
  }
  if (node === undefined) return allowed(part(mode, 'users', wanted.name));
  return allowed(part(mode, 'nodes', mode.name === 'associated-node' ? '*' : node));
}

async function checkGroups({ mode, user, wanted }: Attempt, allowed: Allowed): Promise<StatusError | undefined> {
  const { groups } = wanted;
  const refuse = (name: string, why: string) => forbidden(user, part(mode, 'groups', name), why);
  if (mode.isConstrained) {
    if (groups.includes('')) return refuse('', 'impersonating the empty string group is not allowed');
    if (groups.includes('system:masters'))
      return refuse('system:masters', 'impersonating the system:masters group is not allowed');
    if (groups.length >= manyChecks && !(await allowed(part(mode, 'groups', '*')))) return undefined;
  }
  for (const group of groups) {
    const refused = await allowed(part(mode, 'groups', group));
    if (refused) return refused;
  }
  return undefined;
}

async function checkExtra({ mode, user, wanted }: Attempt, allowed: Allowed): Promise<StatusError | undefined> {
  const entries = Object.entries(wanted.extra);
  if (mode.isConstrained) {
    const problem = extraProblem(wanted.extra);
    if (problem) return forbidden(user, part(mode, 'userextras', ''), problem);
    const count = entries.reduce((sum, [, values]) => sum + values.length, 0);
    const isMany = Math.max(entries.length, count) >= manyChecks;
    if (isMany && !(await allowed(part(mode, 'userextras', '*', { subresource: '*' })))) return undefined;
  }
  for (const [key, values] of entries) {
    for (const value of values) {
      const refused = await allowed(part(mode, 'userextras', value, { subresource: key }));
      if (refused) return refused;
    }
  }
  return undefined;
}
