import type { FieldCause } from '@kubernode/api';
import {
  CelCompileError,
  CelCostError,
  compileProgram,
  kubernetesEnvironment,
  Optional,
  optionalType,
  runtimeCostBudget,
  schemaType,
  type CelSchema,
  type CelValue,
  type Program,
} from '@kubernode/machinery/cel';
import { invalid } from '../causes.ts';
import type { Correlated } from './correlated.ts';
import { followPath } from '../field-path.ts';
import { causeOf, messageOf, ruleText, type Shown } from './rule-messages.ts';
import { isEmbedded, isPlain, itemsOf, valuesOf, type Plain, type Schema } from '../schema.ts';
import { unchanged, type Unchanged } from './unchanged.ts';

export interface RulesRequest {
  readonly value: unknown;
  /** Before the update; undefined at creation. */
  readonly old: unknown;
  /** What did not change may stay wrong; undefined where nothing is forgiven. */
  readonly correlated?: Correlated | undefined;
  /** Where the value is; '' for a whole object. */
  readonly path?: string;
  /** Gets what was wrong before and did not change. */
  readonly warnings?: string[];
}

/** What `x-kubernetes-validations` find wrong, here and below. */
export type Rules = (request: RulesRequest) => readonly FieldCause[];

type Rule = NonNullable<Schema['x-kubernetes-validations']>[number];

interface Compiled {
  readonly rule: Rule;
  readonly program: Program | CelCompileError;
  readonly message: Program | undefined;
  readonly readsOld: boolean;
  /** Of the field that a cause names, below the value. */
  readonly fieldPath: string;
}

/** What is left of the costs that all rules of an object may have together. */
interface Budget {
  left: number;
  readonly warnings: string[];
}

interface Place {
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly kept: Unchanged;
  readonly budget: Budget;
}

type Judge = (place: Place) => FieldCause[];

/** The rules of a schema, compiled once; undefined where it has none. `isRoot`: of a whole object. */
export function compileRules(schema: Schema, isRoot = true): Rules | undefined {
  const judge = judgeOf(schema, isRoot);
  if (!judge) return undefined;
  return ({ value, old, correlated, path = '', warnings = [] }) =>
    judge({ value, old, path, kept: unchanged(correlated), budget: { left: runtimeCostBudget, warnings } });
}

function judgeOf(schema: Schema, isRoot: boolean): Judge | undefined {
  const below = judgesBelow(schema);
  const own = (schema['x-kubernetes-validations'] ?? [])
    .filter(({ rule }) => rule.trim() !== '')
    .map((rule) => compiled(rule, schema, isRoot));
  if (own.length === 0 && !below) return undefined;
  const readsOld = own.some((each) => each.readsOld);
  return (place) => {
    if (place.value === null || place.value === undefined) return [];
    const found = own.length > 0 ? evaluateAll(own, place, schema, readsOld) : [];
    if (below && place.budget.left >= 0) found.push(...below(place));
    return found;
  };
}

function judgesBelow(schema: Schema): Judge | undefined {
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  const ofItems = items && judgeOf(items, isEmbedded(items));
  const ofValues = values && judgeOf(values, isEmbedded(values));
  const fields = new Map<string, Judge>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const judge = judgeOf(field, isEmbedded(field));
    if (judge) fields.set(name, judge);
  }
  if (!ofItems && !ofValues && fields.size === 0) return undefined;
  return ({ value, old, path, kept, budget }) => {
    const found: FieldCause[] = [];
    if (Array.isArray(value) && ofItems) {
      const before = kept.oldItemOf(old, schema);
      for (let index = 0; index < value.length && budget.left >= 0; index += 1) {
        const item: unknown = value[index];
        const at = { value: item, old: before(item), path: `${path}[${index}]`, kept: kept.item(index), budget };
        found.push(...ofItems(at));
      }
    }
    if (!isPlain(value)) return found;
    const oldFields = isPlain(old) ? old : undefined;
    for (const key of Object.keys(value)) {
      const judge = fields.get(key) ?? ofValues;
      if (!judge || budget.left < 0) continue;
      const isField = judge !== ofValues;
      const at = isField ? (path ? `${path}.${key}` : key) : `${path}[${key}]`;
      const before = oldFields && Object.hasOwn(oldFields, key) ? oldFields[key] : undefined;
      found.push(...judge({ value: value[key], old: before, path: at, kept: kept.field(key), budget }));
    }
    return found;
  };
}

function compiled(rule: Rule, schema: Schema, isRoot: boolean): Compiled {
  const target = rule.fieldPath ? followPath(schema, rule.fieldPath) : '';
  const fieldPath = typeof target === 'string' ? '' : target.path;
  try {
    const program = programOf(rule.rule, schema, isRoot, rule.optionalOldSelf);
    const readsOld = program.variables.includes('oldSelf');
    return { rule, program, message: messageProgram(rule, schema, isRoot), readsOld, fieldPath };
  } catch (error) {
    if (error instanceof CelCompileError) {
      return { rule, program: error, message: undefined, readsOld: false, fieldPath };
    }
    throw error;
  }
}

function messageProgram(rule: Rule, schema: Schema, isRoot: boolean): Program | undefined {
  if (!rule.messageExpression) return undefined;
  try {
    return programOf(rule.messageExpression, schema, isRoot, rule.optionalOldSelf);
  } catch (error) {
    if (error instanceof CelCompileError) return undefined;
    throw error;
  }
}

/** Throws CelCompileError. */
function programOf(text: string, schema: Schema, isRoot: boolean, optionalOld?: boolean): Program {
  const type = schemaType(schema as CelSchema, isRoot || isEmbedded(schema));
  const variables = type ? { self: type, oldSelf: optionalOld ? optionalType(type) : type } : {};
  return compileProgram(text, kubernetesEnvironment.extend({ variables }));
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** All rules of one schema of one value; ends all when the budget does. */
function evaluateAll(own: readonly Compiled[], place: Place, schema: Schema, readsOld: boolean): FieldCause[] {
  const { value, old, path, budget } = place;
  const type = schema.type ?? '';
  const field = path || '<nil>';
  if (budget.left <= 0) {
    budget.left = -1;
    return [invalid(field, type, outOfBudget)];
  }
  const plain: Plain = { self: value, ...(readsOld && isThere(old) ? { oldSelf: old } : {}) };
  const found: FieldCause[] = [];
  for (const each of own) {
    if (budget.left < 0) break;
    found.push(...evaluated(each, place, schema, plain));
  }
  return found;
}

const isThere = (value: unknown) => value !== undefined && value !== null;

function evaluated(compiledRule: Compiled, place: Place, schema: Schema, plain: Plain): FieldCause[] {
  const { rule, program, readsOld } = compiledRule;
  const { old, path, budget } = place;
  const type = schema.type ?? '';
  const field = path || '<nil>';
  if (program instanceof CelCompileError) {
    return [invalid(field, type, `rule compile error: compilation failed: ${program.message}`)];
  }
  if (readsOld && !isThere(old) && !rule.optionalOldSelf) return [];
  const oldSelf = new Optional(isThere(old) ? (old as CelValue) : undefined);
  const bindings = rule.optionalOldSelf ? { ...plain, oldSelf } : plain;
  const { value: result, error, cost } = program.attempt(bindings);
  if (cost > budget.left) {
    budget.left = -1;
    return [invalid(field, type, outOfBudget)];
  }
  budget.left -= cost;
  if (!error) return result === true ? [] : refused(compiledRule, place, schema, plain);
  const text = error.message;
  if (error instanceof CelCostError) {
    budget.left = -1;
    const why = `'${text}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`;
    return [invalid(field, type, why)];
  }
  const detail = text.startsWith('no such overload')
    ? `'${text}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`
    : `${text} evaluating rule: ${ruleText(rule)}`;
  return [invalid(field, type, detail)];
}

/** The cause of a rule that is broken; a warning where that is nothing new. */
function refused(compiledRule: Compiled, place: Place, schema: Schema, plain: Plain): FieldCause[] {
  const { rule, message, readsOld, fieldPath } = compiledRule;
  const { value, path, kept, budget } = place;
  const field = [path, fieldPath].filter((each) => each !== '').join('.') || '<nil>';
  const shown: Shown = schema.type === 'object' || schema.type === 'array' ? 'omitted' : { value };
  const text = messageOf(rule, message, plain, budget.left);
  budget.left -= text.cost;
  const cause = text.isFatal
    ? invalid(field, schema.type ?? '', text.detail)
    : causeOf(rule.reason, field, shown, text.detail);
  if (text.isFatal) budget.left = -1;
  if (readsOld || !kept.isUnchanged) return [cause];
  budget.warnings.push(`${cause.field}: ${cause.message}`);
  return [];
}
