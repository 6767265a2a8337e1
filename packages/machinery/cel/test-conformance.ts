import { check } from './check/checker.ts';
import { Environment } from './environment.ts';
import { equals } from './evaluate/equality.ts';
import { CelError } from './errors.ts';
import { kubernetesLibraries } from './kubernetes.ts';
import { parse } from './syntax/parser.ts';
import { Program } from './program.ts';
import { parseCelDuration, parseTimestamp } from './evaluate/time-text.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
  type CelType,
} from './types.ts';
import { CelMap, Double, toInt, TypeValue, Uint, valueType, type CelValue } from './values.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

/** A case of the conformance data: a `cel.expr.conformance.test.SimpleTest` as JSON. */
export interface ConformanceCase {
  readonly name: string;
  readonly expr: string;
  readonly value?: JsonObject;
  readonly typedResult?: { readonly result?: JsonObject; readonly deducedType?: JsonObject };
  readonly evalError?: object;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly container?: string;
  readonly typeEnv?: readonly { readonly name: string; readonly ident?: { readonly type: JsonObject } }[];
  readonly bindings?: Readonly<Record<string, { readonly value: JsonObject }>>;
}

/** Runs a case; undefined when it passes, otherwise what was wrong. */
export function runConformanceCase(test: ConformanceCase): string | undefined {
  try {
    return run(test);
  } catch (error) {
    return String(error);
  }
}

function run(test: ConformanceCase): string | undefined {
  const variables = Object.fromEntries(
    (test.typeEnv ?? []).flatMap(({ name, ident }) => (ident ? [[name, readType(ident.type)]] : [])),
  );
  const environment = new Environment({
    libraries: kubernetesLibraries,
    mixedLiterals: true,
    variables: { ...Object.fromEntries(Object.keys(test.bindings ?? {}).map((name) => [name, dynType])), ...variables },
    ...(test.container === undefined ? {} : { container: test.container }),
  });
  const expression = parse(test.expr, true);
  const checked = check(expression, environment);
  const [issue] = checked.issues;
  if (issue !== undefined && test.disableCheck !== true)
    return test.evalError === undefined ? issue.message : undefined;
  const type = checked.types.get(expression.id) ?? dynType;
  const deduced = test.typedResult?.deducedType;
  if (deduced !== undefined && formatType(readType(deduced)) !== formatType(type)) {
    return `type ${formatType(type)}, expected ${formatType(readType(deduced))}`;
  }
  if (test.checkOnly === true) return undefined;
  const program = new Program({ source: test.expr, checked, variableType: () => dynType });
  const bindings = Object.fromEntries(
    Object.entries(test.bindings ?? {}).map(([name, { value }]) => [name, readValue(value)]),
  );
  return compareResult(test, () => program.evaluate(bindings).value);
}

function compareResult(test: ConformanceCase, evaluate: () => CelValue): string | undefined {
  let value: CelValue;
  try {
    value = evaluate();
  } catch (error) {
    if (error instanceof CelError && test.evalError !== undefined) return undefined;
    return String(error);
  }
  if (test.evalError !== undefined) return `value ${describe(value)}, expected an error`;
  const wanted = test.value ?? test.typedResult?.result;
  const expected = wanted === undefined ? true : readValue(wanted);
  const isNaN = expected instanceof Double && Number.isNaN(expected.value);
  const same = isNaN ? value instanceof Double && Number.isNaN(value.value) : equals(value, expected);
  return same && valueType(value) === valueType(expected)
    ? undefined
    : `value ${describe(value)}, expected ${describe(expected)}`;
}

function describe(value: CelValue): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
}

/** A `cel.expr.Value` of the data. */
function readValue(json: JsonObject): CelValue {
  const [kind = '', held = null] = Object.entries(json)[0] ?? [];
  switch (kind) {
    case 'int64Value':
      return toInt(BigInt(held as string));
    case 'uint64Value':
      return new Uint(BigInt(held as string));
    case 'doubleValue':
      return new Double(Number(held));
    case 'bytesValue':
      return Uint8Array.from(Buffer.from(held as string, 'base64'));
    case 'typeValue':
      return new TypeValue(held as string);
    case 'listValue':
      return (((held as JsonObject)['values'] ?? []) as readonly JsonObject[]).map(readValue);
    case 'mapValue': {
      const map = new CelMap();
      for (const { key, value } of ((held as JsonObject)['entries'] ?? []) as {
        key: JsonObject;
        value: JsonObject;
      }[]) {
        map.insert(readValue(key), readValue(value));
      }
      return map;
    }
    case 'timestampValue':
    case 'objectValue':
      return readTime(held);
    default:
      return held as CelValue;
  }
}

function readTime(json: Json): CelValue {
  const { '@type': type, value } = json as { '@type': string; value: string };
  const time = type.endsWith('Timestamp') ? parseTimestamp(value) : parseCelDuration(value);
  if (time === undefined) throw new Error(`a value of type "${type}" is not among what the runner reads`);
  return time;
}

const primitives: Readonly<Record<string, CelType>> = {
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  BOOL: boolType,
  STRING: stringType,
  BYTES: bytesType,
};

/** A `cel.expr.Type` of the data. */
function readType(json: JsonObject): CelType {
  const [kind = '', held = null] = Object.entries(json)[0] ?? [];
  const parts = (held ?? {}) as JsonObject;
  switch (kind) {
    case 'primitive':
      return primitives[held as string] ?? dynType;
    case 'listType':
      return listType(readType((parts['elemType'] ?? { dyn: {} }) as JsonObject));
    case 'mapType':
      return mapType(
        readType((parts['keyType'] ?? { dyn: {} }) as JsonObject),
        readType((parts['valueType'] ?? { dyn: {} }) as JsonObject),
      );
    case 'type':
      return typeType(readType(parts));
    case 'null':
      return nullType;
    case 'wellKnown':
      return held === 'TIMESTAMP' ? timestampType : durationType;
    case 'abstractType': {
      const parameters = ((parts['parameterTypes'] ?? []) as readonly JsonObject[]).map(readType);
      return parts['name'] === 'optional_type'
        ? optionalType(parameters[0] ?? dynType)
        : opaqueType(parts['name'] as string, ...parameters);
    }
    default:
      return dynType;
  }
}
