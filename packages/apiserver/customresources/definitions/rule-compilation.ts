import type { FieldCause } from '@kubernode/api';
import {
  CelCompileError,
  compileProgram,
  kubernetesEnvironment,
  optionalType,
  type CelType,
  type Program,
} from '@kubernode/machinery/cel';
import { forbidden, GoStruct, internalError, invalid } from '../causes.ts';
import type { RuleScope, TotalCost } from './rule-scope.ts';
import type { Schema } from '../schema.ts';

type Rule = NonNullable<Schema['x-kubernetes-validations']>[number];

/** What one rule may cost at most, over all values that it is asked of (StaticEstimatedCostLimit). */
const ruleCostMax = 10_000_000;
const definitionCostMax = 100_000_000;

/**
 * Whether the rules of one node of a schema compile, are cheap enough, and read the value before only where there is
 * one. `uncorrelated`: the first place around the node whose parts are not found again after an update.
 */
export function compilationCauses(
  schema: Schema,
  path: string,
  scope: RuleScope,
  uncorrelated: string | undefined,
): FieldCause[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const { declared } = scope;
  if (!declared) {
    const why = 'unable to convert structural schema to CEL declarations';
    const detail = `internal error: failed to construct type information for x-kubernetes-validations rules: ${why}`;
    return [internalError(`${path}.x-kubernetes-validations`, detail)];
  }
  return rules.flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const program = rule.rule.trim() === '' ? undefined : compiled(rule.rule, rule, declared.type);
    const cost = program && 'program' in program ? scope.costOf(program.program.estimateCost().max, declared) : 0;
    scope.total.add(`${at}.rule`, cost);
    const found: FieldCause[] = [];
    if (cost > ruleCostMax) found.push(forbidden(`${at}.rule`, `estimated rule cost ${exceeds(cost, ruleCostMax)}`));
    if (!program) return [...found, ...oldSelfCauses(rule, false, at, uncorrelated)];
    if ('error' in program) found.push(invalid(`${at}.rule`, shownRule(rule), `compilation failed: ${program.error}`));
    else if (program.program.type.kind !== 'bool') {
      found.push(invalid(`${at}.rule`, shownRule(rule), 'cel expression must evaluate to a bool'));
    } else if (program.program.problem !== undefined) {
      found.push(invalid(`${at}.rule`, shownRule(rule), `program instantiation failed: ${program.program.problem}`));
    } else if (rule.messageExpression) found.push(...messageCauses(rule, declared.type, at, scope.total));
    const readsOld =
      'program' in program && program.program.type.kind === 'bool' && program.program.variables.includes('oldSelf');
    return [...found, ...oldSelfCauses(rule, readsOld, at, uncorrelated)];
  });
}

/** Only what is found again has a value before. */
function oldSelfCauses(rule: Rule, readsOld: boolean, at: string, uncorrelated: string | undefined): FieldCause[] {
  if (readsOld) {
    if (uncorrelated === undefined) return [];
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    return [invalid(`${at}.rule`, rule.rule, detail)];
  }
  if (rule.optionalOldSelf === undefined) return [];
  return [invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule')];
}

function messageCauses(rule: Rule, type: CelType, at: string, total: TotalCost): FieldCause[] {
  const field = `${at}.messageExpression`;
  const program = compiled(rule.messageExpression ?? '', rule, type);
  if ('error' in program) {
    return [invalid(field, shownRule(rule), `messageExpression compilation failed: ${program.error}`)];
  }
  if (program.program.type.kind !== 'string') {
    return [invalid(field, shownRule(rule), 'messageExpression must evaluate to a string')];
  }
  if (program.program.problem !== undefined) {
    return [invalid(field, shownRule(rule), `messageExpression instantiation failed: ${program.program.problem}`)];
  }
  const cost = program.program.estimateCost().max;
  total.add(field, cost);
  if (cost <= ruleCostMax) return [];
  return [forbidden(field, `estimated messageExpression cost ${exceeds(cost, ruleCostMax)}`)];
}

function compiled(text: string, { optionalOldSelf }: Rule, type: CelType): { program: Program } | { error: string } {
  try {
    const variables = { self: type, oldSelf: optionalOldSelf ? optionalType(type) : type };
    return { program: compileProgram(text, kubernetesEnvironment.extend({ variables })) };
  } catch (error) {
    if (error instanceof CelCompileError) return { error: error.message };
    throw error;
  }
}

/** As Go prints a rule. */
const shownRule = ({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: Rule) =>
  new GoStruct({
    Rule: rule,
    Message: message ?? '',
    MessageExpression: messageExpression ?? '',
    Reason: reason ?? null,
    FieldPath: fieldPath ?? '',
    OptionalOldSelf: optionalOldSelf ?? null,
  });

/** The causes of a schema whose rules cost too much together. */
export function totalCauses({ cost, mostExpensive }: TotalCost, path: string): FieldCause[] {
  if (cost <= definitionCostMax) return [];
  const share = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const detail = `x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema ${exceeds(cost, definitionCostMax)}`;
  return [...mostExpensive.map((at) => forbidden(at, share)), forbidden(path, detail)];
}

function exceeds(cost: number, max: number): string {
  const factor = cost / max;
  const text = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
