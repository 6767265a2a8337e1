import type { User } from '@kubernode/api';
import { trimEndOf } from '@kubernode/machinery';
import type { Attributes, Decision } from '../seams.ts';
import type { AuthorizerPart, UserRules } from './part.ts';

/** What a line of the policy file allows (abac.authorization.kubernetes.io/v1beta1 Policy). */
interface Policy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const authenticatedGroup = 'system:authenticated';
const version = 'abac.authorization.kubernetes.io/v1beta1';

/**
 * Attribute-based access control: one JSON object a line, `#` begins a comment. Lines without a version are of the old
 * form, in which what is left out means everything. Throws with the line that cannot be read.
 */
export function abacPart(text: string, path: string): AuthorizerPart {
  const policies = text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    try {
      return [policyOf(JSON.parse(trimmed) as Line)];
    } catch (error) {
      throw new Error(`error reading policy file ${path}, line ${index + 1}: ${trimmed}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  });
  return {
    type: 'ABAC',
    name: 'abac',
    authorize: (user, attributes) => (policies.some((policy) => allows(policy, user, attributes)) ? allowed : noMatch),
    rulesFor: (user, namespace) => rulesOf(policies, user, namespace),
  };
}

const allowed: Decision = { allowed: true };
const noMatch: Decision = { allowed: false, reason: 'No policy matched.' };

type Line = Partial<Policy> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly spec?: Partial<Policy>;
};

function policyOf(line: Line): Policy {
  const isOld = !line.apiVersion && !line.kind;
  if (!isOld && (line.apiVersion !== version || line.kind !== 'Policy')) {
    throw new Error(`no kind "${line.kind}" is registered for version "${line.apiVersion}"`);
  }
  const said = (isOld ? line : line.spec) ?? {};
  const { user = '', group = '', apiGroup = '', resource = '', namespace = '', nonResourcePath = '' } = said;
  for (const value of [user, group, apiGroup, resource, namespace, nonResourcePath]) {
    if (typeof value !== 'string') throw new Error(`${JSON.stringify(value)} is not a string`);
  }
  // '*' stands for all who have shown who they are, not for everybody.
  const isEveryone = user === '*' || group === '*' || (isOld && user === '' && group === '');
  const policy = {
    user: isEveryone ? '' : user,
    group: isEveryone ? authenticatedGroup : group,
    readonly: said.readonly === true,
    apiGroup,
    resource,
    namespace,
    nonResourcePath,
  };
  if (!isOld) return policy;
  const isAll = namespace === '' && resource === '';
  return {
    ...policy,
    apiGroup: '*',
    resource: resource || '*',
    namespace: namespace || '*',
    nonResourcePath: isAll ? '*' : '',
  };
}

const isOf = ({ user, group }: Policy, asking: User): boolean =>
  (user !== '' || group !== '') &&
  (user === '' || user === asking.name) &&
  (group === '' || asking.groups.includes(group));

const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

function allows(policy: Policy, user: User, attributes: Attributes): boolean {
  if (!isOf(policy, user) || (policy.readonly && !readVerbs.has(attributes.verb))) return false;
  const fits = (pattern: string, value: string) => pattern === '*' || pattern === value;
  if (attributes.resource !== '') {
    return (
      fits(policy.namespace, attributes.namespace) &&
      fits(policy.resource, attributes.resource) &&
      fits(policy.apiGroup, attributes.group)
    );
  }
  const { nonResourcePath: pattern } = policy;
  if (fits(pattern, attributes.path)) return true;
  return pattern.endsWith('*') && attributes.path.startsWith(trimEndOf(pattern, '*'));
}

function rulesOf(policies: readonly Policy[], user: User, namespace: string): UserRules {
  const own = policies.filter(
    (policy) => isOf(policy, user) && (policy.namespace === '*' || policy.namespace === namespace),
  );
  const verbs = (policy: Policy) => (policy.readonly ? [...readVerbs] : ['*']);
  return {
    resourceRules: own.flatMap((policy) =>
      policy.resource ? [{ verbs: verbs(policy), apiGroups: [policy.apiGroup], resources: [policy.resource] }] : [],
    ),
    nonResourceRules: own.flatMap((policy) =>
      policy.nonResourcePath ? [{ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] }] : [],
    ),
  };
}
