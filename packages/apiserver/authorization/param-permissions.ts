import type { FieldCause, User } from '@kubernode/api';
import type { AdmissionPlugin, AdmissionRequest, Attributes, Authorizer, ClusterState, Decision } from '../seams.ts';

const group = 'admissionregistration.k8s.io';

interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

interface PolicySpec {
  readonly paramKind?: ParamKind;
}

interface BindingSpec {
  readonly policyName: string;
  readonly paramRef?: { readonly name?: string; readonly namespace?: string };
}

/**
 * Who writes an admission policy or a binding must be able to read its params: a policy shows them to others. Not a plugin
 * upstream, but part of the storage of these kinds: no flag turns it off.
 */
export function paramPermissions(state: ClusterState, authorize: Authorizer): AdmissionPlugin {
  return {
    name: 'ParamPermissions',
    resources: [...policyOf.keys(), ...policyOf.values()],
    validate(request) {
      const { attributes, operation, user } = request;
      if (attributes.group !== group || attributes.subresource !== '') return none;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return none;
      if (user.groups.includes('system:masters')) return none;
      if (policies.has(attributes.resource)) return policyCauses(request, authorize);
      const policyResource = policyOf.get(attributes.resource);
      return policyResource ? bindingCauses(request, policyResource, state, authorize) : none;
    },
  };
}

const none: readonly FieldCause[] = [];
const policyOf: ReadonlyMap<string, string> = new Map([
  ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'],
  ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies'],
]);
const policies: ReadonlySet<string> = new Set(policyOf.values());

async function policyCauses(request: AdmissionRequest, authorize: Authorizer): Promise<readonly FieldCause[]> {
  const { paramKind } = specOf<PolicySpec>(request.object) ?? {};
  if (!paramKind) return none;
  const { paramKind: old } = specOf<PolicySpec>(request.oldObject) ?? {};
  if (old && old.kind === paramKind.kind && old.apiVersion === paramKind.apiVersion) return none;
  const asked = { ...found(request, paramKind).attributes, verb: 'get', name: '*', namespace: '*' };
  const decision = await authorize(request.user, asked);
  if (decision.allowed) return none;
  const { apiVersion = '', kind = '' } = paramKind;
  const what = `on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  const why = decision.error ?? `user ${printed(request.user)} must have "get" permission ${what}`;
  return forbidden('spec.paramKind', why);
}

/** Also a change that leaves the reference as it was is judged again, as upstream does. */
async function bindingCauses(
  request: AdmissionRequest,
  policyResource: string,
  state: ClusterState,
  authorize: Authorizer,
): Promise<readonly FieldCause[]> {
  const { paramRef, policyName } = specOf<BindingSpec>(request.object) ?? { policyName: '' };
  if (!paramRef) return none;
  const policy = state.get(group, policyResource, policyName);
  const paramKind = specOf<PolicySpec>(policy)?.paramKind;
  const { attributes, isResolved } = found(request, paramKind);
  const { name = '', namespace = '' } = paramRef;
  const verb = name === '' ? 'list' : 'get';
  const decision = await authorize(request.user, { ...attributes, verb, name, namespace });
  if (decision.allowed) return none;
  const isMutating = policyResource === 'mutatingadmissionpolicies';
  const why = errorOf(decision, isMutating) ?? whyNot();
  return forbidden('spec.paramRef', why);

  function whyNot(): string {
    const who = printed(request.user);
    const lacks = `to determine minimum required permissions and user ${who} does not have "${verb}" permission`;
    const all = 'for all groups, versions and resources';
    if (!policy) return `unable to get policy ${policyName} ${lacks} ${all}`;
    if (paramKind && !isResolved) {
      return `unable to resolve paramKind &{${paramKind.apiVersion ?? ''} ${paramKind.kind ?? ''}} ${lacks} ${all}`;
    }
    // Upstream's text for mutating policies has the two in each other's place.
    const [subject, missing] = isMutating ? [verb, who] : [who, verb];
    return `user ${subject} does not have "${missing}" permission on the object referenced by paramRef`;
  }
}

const errorOf = (decision: Decision, isMutating: boolean): string | undefined => {
  if (decision.allowed || decision.error === undefined) return undefined;
  return isMutating ? decision.error : `failed to authorize request: ${decision.error}`;
};

/** What is not known is every resource of every group. */
function found(request: AdmissionRequest, paramKind: ParamKind | undefined) {
  const attributes: Attributes = { ...everything };
  if (!paramKind) return { attributes, isResolved: false };
  const { apiVersion = '', kind = '' } = paramKind;
  const slash = apiVersion.indexOf('/');
  const resource = request.review?.objects.find(apiVersion, kind)?.resource;
  const place = { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1) };
  return { attributes: { ...attributes, ...place, resource: resource ?? '*' }, isResolved: resource !== undefined };
}

const everything: Attributes = {
  verb: '',
  group: '*',
  version: '*',
  resource: '*',
  subresource: '',
  namespace: '',
  name: '',
  path: '',
};

const specOf = <Spec>(object: unknown): Spec | undefined => (object as { spec?: Spec } | undefined)?.spec;

/** As Go prints a user. */
function printed({ name, uid = '', groups, extra = {} }: User): string {
  const pairs = Object.keys(extra)
    .toSorted()
    .map((key) => `${key}:[${extra[key]!.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${pairs.join(' ')}]}`;
}

const forbidden = (field: string, why: string): readonly FieldCause[] => [
  { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field },
];
