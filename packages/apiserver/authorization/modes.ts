import type { User } from '@kubernode/api';
import type { Attributes, Authorizer, ClusterState, Decision } from '../seams.ts';
import { createNodeAuthorizer } from './node.ts';
import { createRbac, type Rbac } from './rbac.ts';

/** The values of `--authorization-mode`. `Webhook` and `ABAC` are refused by name. */
export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC'] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

export interface Authorization {
  readonly authorize: Authorizer;
  readonly rbac: Rbac;
}

/** Those who need no authorization at all (kube-apiserver, "privileged groups"). */
const privilegedGroup = 'system:masters';

/** Asks the modes in their order until one allows or denies; `system:masters` may do everything. */
export function createAuthorization(modes: readonly AuthorizationMode[], state: ClusterState): Authorization {
  const rbac = createRbac(state);
  const asked = modes.map((mode) => authorizerOf(mode, rbac, state));
  const rest = (user: User, attributes: Attributes): Decision | Promise<Decision> => {
    let reasons = '';
    for (const authorize of asked) {
      const decision = authorize(user, attributes);
      if (decision.allowed || decision.denied) return decision;
      if (decision.reason) reasons += `${reasons ? ', ' : ''}${decision.reason}`;
    }
    return reasons ? { allowed: false, reason: reasons } : notAllowed;
  };
  return {
    rbac,
    authorize: (user, attributes) => (user.groups.includes(privilegedGroup) ? allowed : rest(user, attributes)),
  };
}

const allowed: Decision = { allowed: true };
const notAllowed: Decision = { allowed: false, reason: '' };

function authorizerOf(
  mode: AuthorizationMode,
  rbac: Rbac,
  state: ClusterState,
): (user: User, attributes: Attributes) => Decision {
  switch (mode) {
    case 'AlwaysAllow':
      return () => allowed;
    case 'AlwaysDeny':
      return () => ({ allowed: false, reason: 'Everything is forbidden.' });
    case 'RBAC':
      return (user, attributes) => rbac.authorize(user, attributes);
    case 'Node':
      return createNodeAuthorizer(state);
    default:
      throw new Error(
        `authorization mode ${JSON.stringify(mode)} is not supported, expected AlwaysAllow, AlwaysDeny, Node or RBAC`,
      );
  }
}
