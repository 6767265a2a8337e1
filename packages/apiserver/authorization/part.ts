import type { User } from '@kubernode/api';
import type { NonResourceRule, ResourceRule } from '@kubernode/api/authorization/v1';
import type { Authorizer } from '../seams.ts';

/** The values of `--authorization-mode`, and of `type` in an AuthorizationConfiguration. */
export const authorizationModes = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

/** What a user may do in a namespace, as far as an authorizer can list it. */
export interface UserRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** There is more that it cannot list. */
  readonly isIncomplete?: boolean;
  readonly errors?: readonly string[];
}

/** One authorizer of those that are asked in turn. */
export interface AuthorizerPart {
  readonly type: AuthorizationMode;
  readonly name: string;
  readonly authorize: Authorizer;
  readonly rulesFor: (user: User, namespace: string) => UserRules;
}

export const noRules: UserRules = { resourceRules: [], nonResourceRules: [] };
