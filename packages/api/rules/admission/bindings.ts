import { dns1123Subdomain } from '@kubernode/machinery';
import type { MatchResources, ParamRef } from '../../generated/types/admissionregistration/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid, notSupported, required } from '../cause.ts';
import { matchResources } from './match.ts';
import { onlyMutable } from './mutating-policy.ts';
import { paramRef } from './parameters.ts';
import { firstIndexes } from '../repeated.ts';

interface BindingSpec {
  readonly policyName?: string | undefined;
  readonly paramRef?: ParamRef | undefined;
  readonly matchResources?: MatchResources | undefined;
}

const actions = ['Audit', 'Deny', 'Warn'];
const repeated =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

/** What bindings of both sorts of policies share. */
function bindingCauses({ policyName = '', paramRef: reference, matchResources: match }: BindingSpec): FieldCause[] {
  const found = policyName
    ? dns1123Subdomain(policyName).map((detail) => invalid('spec.policyName', policyName, detail))
    : [required('spec.policyName')];
  if (reference) found.push(...paramRef(reference, 'spec.paramRef'));
  if (match) found.push(...matchResources(match, 'spec.matchResources'));
  return found;
}

export const mutatingBinding = (spec: BindingSpec): readonly FieldCause[] => [
  ...bindingCauses(spec),
  ...onlyMutable(spec.matchResources, 'spec.matchResources'),
];

export function validatingBinding(
  spec: BindingSpec & { readonly validationActions?: readonly string[] | undefined },
): readonly FieldCause[] {
  const { validationActions: list = [] } = spec;
  const path = 'spec.validationActions';
  const found = bindingCauses(spec);
  const first = firstIndexes(list);
  list.forEach((action, index) => {
    if (!actions.includes(action)) found.push(notSupported(`${path}[${index}]`, action, actions));
    if (first.get(action)! < index) found.push(duplicate(`${path}[${index}]`, action));
  });
  if (list.includes('Deny') && list.includes('Warn')) found.push(invalid(path, list, repeated));
  if (list.length === 0) found.push(required(path, 'at least one validation action is required'));
  return found;
}
