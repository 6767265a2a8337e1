import type { FieldCause } from '@kubernode/api';
import { CelCompileError, schemaType, type CelSchema } from '@kubernode/machinery/cel';
import { forbidden, invalid } from './causes.ts';
import { programOf } from './rules.ts';
import { itemsOf, valuesOf, type Schema } from './schema.ts';

/** What one rule may cost at most, over all values that it is asked of (StaticEstimatedCostLimit). */
const ruleCostMax = 10_000_000;
const definitionCostMax = 100_000_000;
/** So many of the rules that made a schema too expensive are named. */
const namedMax = 4;

interface Total {
  cost: number;
  readonly rules: { readonly at: string; readonly cost: number }[];
}

/** Whether all rules of a schema compile and are cheap enough. Only for schemas with which all else is well. */
export function compilationCauses(schema: Schema, path: string): FieldCause[] {
  const total: Total = { cost: 0, rules: [] };
  const found = nodeCauses(schema, path, 1, true, total);
  if (total.cost > definitionCostMax) {
    const named = total.rules.sort((a, b) => b.cost - a.cost).slice(0, namedMax);
    const share = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    found.push(...named.map(({ at }) => forbidden(at, share)));
    const detail = `x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema ${exceeds(total.cost, definitionCostMax)}`;
    found.push(forbidden(path, detail));
  }
  return found;
}

function nodeCauses(schema: Schema, path: string, count: number, isRoot: boolean, total: Total): FieldCause[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const found = rules.flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    return [
      ...expressionCauses(rule.rule, schema, `${at}.rule`, { count, isRoot, total, type: 'bool' }),
      ...(rule.messageExpression
        ? expressionCauses(rule.messageExpression, schema, `${at}.messageExpression`, {
            count,
            isRoot,
            total,
            type: 'string',
          })
        : []),
    ];
  });
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  const many = Math.min(count * sizeOf(schema), Number.MAX_SAFE_INTEGER);
  if (items) found.push(...nodeCauses(items, `${path}.items`, many, false, total));
  if (values) found.push(...nodeCauses(values, `${path}.additionalProperties`, many, false, total));
  for (const [name, below] of Object.entries(schema.properties ?? {})) {
    found.push(...nodeCauses(below, `${path}.properties[${name}]`, count, false, total));
  }
  return found;
}

const sizeOf = (schema: Schema): number => schemaType(schema as CelSchema)?.sizeMax ?? 1;

interface Place {
  readonly count: number;
  readonly isRoot: boolean;
  readonly total: Total;
  readonly type: 'bool' | 'string';
}

function expressionCauses(
  text: string,
  schema: Schema,
  at: string,
  { count, isRoot, total, type }: Place,
): FieldCause[] {
  try {
    const program = programOf(text, schema, isRoot);
    const kind = program.type.kind as string;
    if (kind !== type && kind !== 'dyn') return [invalid(at, text, `must evaluate to a ${type}`)];
    const cost = program.estimateCost().max * count;
    total.cost += cost;
    total.rules.push({ at, cost });
    return cost > ruleCostMax ? [forbidden(at, `estimated rule cost ${exceeds(cost, ruleCostMax)}`)] : [];
  } catch (error) {
    if (error instanceof CelCompileError) return [invalid(at, text, `compilation failed: ${error.message}`)];
    throw error;
  }
}

function exceeds(cost: number, max: number): string {
  const factor = cost / max;
  const text = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
