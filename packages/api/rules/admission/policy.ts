import { type AdmissionVariables, type CelType, dynType } from '@kubernode/machinery/cel';
import type {
  MatchCondition,
  MatchResources,
  ParamKind,
  Variable,
} from '../../generated/types/admissionregistration/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, notSupported, required } from '../cause.ts';
import { compileExpression, results } from './expressions.ts';
import { matchConditions, matchResources, sameConditions } from './match.ts';
import { paramKind } from './parameters.ts';
import { foundIn } from '../rule.ts';
import { failurePolicies } from './webhooks.ts';

/** What validating and mutating policies share. */
export interface PolicySpec {
  readonly failurePolicy?: string | undefined;
  readonly paramKind?: ParamKind | undefined;
  readonly matchConstraints?: MatchResources | undefined;
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  readonly variables?: readonly Variable[] | undefined;
}

/** All that is wrong with what they share, but for variables. */
export function policyCauses(spec: PolicySpec, old: PolicySpec | undefined): readonly FieldCause[] {
  const { failurePolicy, matchConstraints: match, paramKind: parameters, matchConditions: conditions } = spec;
  const found: FieldCause[] = [];
  if (failurePolicy === undefined) found.push(required('spec.failurePolicy'));
  else if (!failurePolicies.includes(failurePolicy))
    found.push(notSupported('spec.failurePolicy', failurePolicy, failurePolicies));
  if (parameters) found.push(...paramKind(parameters, 'spec.paramKind'));
  if (match) {
    found.push(...matchResources(match, 'spec.matchConstraints'));
    if (!match.resourceRules?.length) found.push(required('spec.matchConstraints.resourceRules'));
  } else found.push(required('spec.matchConstraints'));
  const isJudged = old && sameConditions(conditions, old.matchConditions) && sameParameters(parameters, old.paramKind);
  if (!isJudged)
    found.push(...matchConditions(conditions ?? [], 'spec.matchConditions', { params: parameters !== undefined }));
  return found;
}

const sameParameters = (left: ParamKind | undefined, right: ParamKind | undefined) =>
  left?.apiVersion === right?.apiVersion && left?.kind === right?.kind;

const identifierPattern = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/**
 * The variables of a policy: each may name those before it. Answers what is wrong with them, and the names that the
 * policy's other expressions have.
 */
export function policyVariables(
  variables: readonly Variable[],
  names: AdmissionVariables,
): { readonly causes: readonly FieldCause[]; readonly types: ReadonlyMap<string, CelType> } {
  const types = new Map<string, CelType>();
  const causes = foundIn(variables, ({ name, expression }, index) => {
    const path = `spec.variables[${index}]`;
    const found: FieldCause[] = [];
    if (!name.trim()) found.push(required(`${path}.name`, 'name is not specified'));
    else if (!identifierPattern.test(name) || reserved.has(name))
      found.push(invalid(`${path}.name`, name, 'must be a valid CEL identifier'));
    if (!expression.trim()) return [...found, required(`${path}.expression`, 'expression is not specified')];
    const compiled = compileExpression(
      expression,
      `${path}.expression`,
      { ...names, variables: types },
      results.variable,
    );
    types.set(name, compiled.program?.type ?? dynType);
    return [...found, ...compiled.causes];
  });
  return { causes, types };
}
