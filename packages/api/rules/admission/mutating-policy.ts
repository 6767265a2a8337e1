import type { AdmissionVariables } from '@kubernode/machinery/cel';
import type {
  ApplyConfiguration,
  JSONPatch,
  MatchResources,
  MutatingAdmissionPolicy,
  Mutation,
} from '../../generated/types/admissionregistration/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, notSupported, required } from '../cause.ts';
import { compileExpression, results } from './expressions.ts';
import { policyCauses, policyVariables } from './policy.ts';
import { reinvocationPolicies } from './webhooks.ts';

const patchTypes = ['ApplyConfiguration', 'JSONPatch'];
const mutableOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** All that is wrong with a mutating policy; `old` is the one before an update. */
export function mutatingPolicy(
  { spec }: MutatingAdmissionPolicy,
  old?: MutatingAdmissionPolicy,
): readonly FieldCause[] {
  const { mutations = [], reinvocationPolicy = '' } = spec;
  const found = [...policyCauses(spec, old?.spec), ...onlyMutable(spec.matchConstraints, 'spec.matchConstraints')];
  const names = { params: spec.paramKind !== undefined, authorizer: true };
  const variables = policyVariables(spec.variables ?? [], names);
  found.push(...variables.causes);
  const all = { ...names, patchTypes: true, variables: variables.types };
  if (mutations.length === 0) found.push(required('spec.mutations', 'mutations must contain at least one item'));
  mutations.forEach((one, index) => found.push(...mutation(one, `spec.mutations[${index}]`, all)));
  if (!reinvocationPolicy) found.push(required('spec.reinvocationPolicy'));
  else if (!reinvocationPolicies.includes(reinvocationPolicy))
    found.push(notSupported('spec.reinvocationPolicy', reinvocationPolicy, reinvocationPolicies));
  return found;
}

/** What is deleted cannot be changed; upstream names the list, not the place in it. */
export function onlyMutable(resources: MatchResources | undefined, path: string): readonly FieldCause[] {
  return (resources?.resourceRules ?? []).flatMap(({ operations = [] }) =>
    operations
      .filter((one) => !mutableOperations.includes(one))
      .map((one) => notSupported(`${path}.resourceRules.operations`, one, mutableOperations)),
  );
}

function mutation(one: Mutation, path: string, names: AdmissionVariables): readonly FieldCause[] {
  const { patchType, applyConfiguration: apply, jsonPatch } = one;
  if (!patchType) return [required(`${path}.patchType`)];
  if (patchType === 'JSONPatch') {
    return [
      ...oneOfTwo(jsonPatch, `${path}.jsonPatch`, patchType, (text, at) =>
        compileExpression(text, at, names, results.jsonPatch),
      ),
      ...notWith(apply, path, 'applyConfiguration', patchType),
    ];
  }
  if (patchType === 'ApplyConfiguration') {
    return [
      ...oneOfTwo(apply, `${path}.applyConfiguration`, patchType, (text, at) =>
        compileExpression(text, at, names, results.applyConfiguration),
      ),
      ...notWith(jsonPatch, path, 'jsonPatch', patchType),
    ];
  }
  return [notSupported(`${path}.patchType`, patchType, patchTypes)];
}

function oneOfTwo(
  patch: ApplyConfiguration | JSONPatch | undefined,
  path: string,
  patchType: string,
  compile: (text: string, path: string) => { readonly causes: readonly FieldCause[] },
): readonly FieldCause[] {
  if (!patch) return [required(path, `must be specified when patchType is ${patchType}`)];
  const text = (patch.expression ?? '').trim();
  return text ? compile(text, `${path}.expression`).causes : [required(`${path}.expression`)];
}

const notWith = (patch: unknown, path: string, name: string, patchType: string): FieldCause[] =>
  patch === undefined
    ? []
    : [invalid(`${path}.${name}`, `{${name}}`, `must not be specified when patchType is ${patchType}`)];
