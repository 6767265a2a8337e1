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
import { deepEqual } from '@kubernode/machinery';
import { forbidden, invalid } from './causes.ts';
import type { Old } from './found.ts';
import { correlated } from './ratchet.ts';
import { isEmbedded, isPlain, itemsOf, valuesOf, type Plain, type Schema } from './schema.ts';

/**
 * What `x-kubernetes-validations` find wrong; `old` is undefined at creation. `warnings` gets what was wrong before and
 * did not change, which may stay so (KEP-4008).
 */
export type Rules = (object: Plain, old: Plain | undefined, warnings: string[]) => readonly FieldCause[];

type Rule = NonNullable<Schema['x-kubernetes-validations']>[number];

interface Compiled {
  readonly rule: Rule;
  readonly program: Program;
  readonly message: Program | undefined;
  readonly readsOld: boolean;
}

/** What is left of the costs that all rules of an object may have together. */
interface Budget {
  left: number;
  readonly warnings: string[];
}

type Judge = (value: unknown, old: Old | undefined, path: string, budget: Budget) => FieldCause[];

/** The rules of a schema, compiled once; undefined where it has none. */
export function compileRules(schema: Schema): Rules | undefined {
  const judge = judgeOf(schema, true);
  return (
    judge &&
    ((object, old, warnings) => judge(object, old && { value: old }, '', { left: runtimeCostBudget, warnings }))
  );
}

function judgeOf(schema: Schema, isRoot = false): Judge | undefined {
  const own = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) => compiled(rule, schema, isRoot) ?? []);
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  const ofItems = items && judgeOf(items);
  const ofValues = values && judgeOf(values);
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, below]) => {
    const judge = judgeOf(below);
    return judge ? [{ name, judge }] : [];
  });
  if (own.length === 0 && !ofItems && !ofValues && fields.length === 0) return undefined;
  return (value, old, path, budget) => {
    if (value === null || value === undefined) return [];
    const isSame = own.length > 0 && old !== undefined && deepEqual(value, old.value);
    const found = own.flatMap((each) => {
      const causes = evaluated(each, { value, old, path, schema }, budget);
      if (!isSame || each.readsOld) return causes;
      budget.warnings.push(...causes.map(({ field, message }) => `${field}: ${message}`));
      return [];
    });
    if (Array.isArray(value) && ofItems) {
      const before = correlated(old, schema);
      found.push(...value.flatMap((item, index) => ofItems(item, before(item), `${path}[${index}]`, budget)));
    }
    if (!isPlain(value)) return found;
    const oldAt = (key: string) => (isPlain(old?.value) && key in old.value ? { value: old.value[key] } : undefined);
    for (const { name, judge } of fields) {
      if (name in value) found.push(...judge(value[name], oldAt(name), path ? `${path}.${name}` : name, budget));
    }
    if (ofValues) {
      for (const key of Object.keys(value)) found.push(...ofValues(value[key], oldAt(key), `${path}[${key}]`, budget));
    }
    return found;
  };
}

/** Undefined where the rule does not compile: its definition was refused, or is older than the rule's syntax. */
function compiled(rule: Rule, schema: Schema, isRoot: boolean): Compiled | undefined {
  try {
    const program = programOf(rule.rule, schema, isRoot, rule.optionalOldSelf);
    const { messageExpression } = rule;
    const message = messageExpression ? programOf(messageExpression, schema, isRoot, rule.optionalOldSelf) : undefined;
    return { rule, program, message, readsOld: program.variables.includes('oldSelf') };
  } catch (error) {
    if (error instanceof CelCompileError) return undefined;
    throw error;
  }
}

/** Throws CelCompileError. */
export function programOf(text: string, schema: Schema, isRoot: boolean, optionalOld?: boolean): Program {
  const type = schemaType(schema as CelSchema, isRoot || isEmbedded(schema));
  const variables = type ? { self: type, oldSelf: optionalOld ? optionalType(type) : type } : {};
  return compileProgram(text, kubernetesEnvironment.extend({ variables }));
}

interface Subject {
  readonly value: unknown;
  readonly old: Old | undefined;
  readonly path: string;
  readonly schema: Schema;
}

function evaluated({ rule, program, message, readsOld }: Compiled, subject: Subject, budget: Budget): FieldCause[] {
  const { value, old, path, schema } = subject;
  if (readsOld && !old && !rule.optionalOldSelf) return [];
  const oldSelf = rule.optionalOldSelf ? new Optional(old?.value as CelValue | undefined) : old?.value;
  const bindings = { self: value, oldSelf };
  const field = `${path}${rule.fieldPath ?? ''}`.replace(/^\./, '') || '<nil>';
  const type = schema.type ?? 'object';
  if (budget.left < 0) return [];
  try {
    const { value: result, cost } = program.evaluate(bindings);
    budget.left -= cost;
    if (budget.left < 0) {
      return [
        invalid(
          field,
          type,
          'validation failed due to running out of cost budget, no further validation rules will be run',
        ),
      ];
    }
    if (result === true) return [];
    return [causeOf(rule, field, type, messageOf(rule, message, bindings))];
  } catch (error) {
    if (error instanceof CelCostError) {
      budget.left = -1;
      const detail = `${rule.rule}: call cost exceeds limit for rule: no further validation rules will be run due to call cost exceeds limit for rule`;
      return [invalid(field, type, detail)];
    }
    return [invalid(field, type, `rule evaluation error: ${(error as Error).message}`)];
  }
}

function messageOf(rule: Rule, program: Program | undefined, bindings: Plain): string {
  const plain = rule.message || `failed rule: ${rule.rule.trim()}`;
  if (!program) return plain;
  try {
    const { value } = program.evaluate(bindings);
    return typeof value === 'string' && value.trim() && !/[\n\r]/.test(value) ? value : plain;
  } catch {
    return plain;
  }
}

function causeOf({ reason }: Rule, field: string, type: string, detail: string): FieldCause {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueRequired':
      return { reason, message: `Required value: ${detail}`, field };
    case 'FieldValueDuplicate':
      return { reason, message: `Duplicate value: ${JSON.stringify(type)}`, field };
    default:
      return invalid(field, type, detail);
  }
}
