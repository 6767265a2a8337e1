import { typeInvalid } from '../causes.ts';
import { add, fieldOf, type Found } from './found.ts';
import { isKnownFormat } from './formats.ts';
import { isIntOrString, type Schema } from '../schema.ts';

const intOrString: readonly string[] = ['integer', 'string'];

/** The types that a value may have; none where any is good. */
function typesOf(schema: Schema, isDefault: boolean): readonly string[] {
  if (isIntOrString(schema)) return isDefault ? [] : intOrString;
  return schema.type ? [schema.type] : [];
}

/** A value's type in JSON, and Go's name of its size. */
function kindOf(value: unknown): readonly [type: string, format: string] {
  if (value === null) return ['null', ''];
  if (Array.isArray(value)) return ['array', ''];
  if (isInteger(value)) return ['integer', 'int64'];
  if (typeof value === 'number') return ['number', 'float64'];
  return [typeof value === 'object' ? 'object' : typeof value, ''];
}

/** Whether it is an integer for Go: a number beyond the safe integers is a double, however whole it is. */
export const isInteger = (value: unknown): boolean => typeof value === 'bigint' || Number.isSafeInteger(value);

/** Formats that are not of the schema's type say nothing, but of defaults. */
export function formatOf(schema: Schema, isDefault = false): string {
  const { format = '' } = schema;
  if (isDefault) return format;
  const type = isIntOrString(schema) ? '' : schema.type;
  return format && isKnownFormat(format, type) ? format : '';
}

/** Whether a value is of the type, and, where numbers are asked to have a text's format, of that (kube-openapi, typeValidator). */
export function checkType(
  value: unknown,
  schema: Schema,
  path: string,
  { isDefault = false }: { readonly isDefault?: boolean },
  found: Found,
): void {
  const types = typesOf(schema, isDefault);
  const format = formatOf(schema, isDefault);
  const refuse = (wanted: string, actual: string) =>
    add(
      found,
      typeInvalid(fieldOf(path), actual, `${path} in body must be of type ${wanted}: ${JSON.stringify(actual)}`),
    );
  const [type, size] = kindOf(value);
  const isOfType =
    types.includes(type) ||
    (type === 'integer' && types.includes('number')) ||
    (type === 'number' && types.includes('integer') && isNearInteger(value as number));
  const isScalarless = type === 'string' || type === 'array';
  if (type === 'null') {
    if (types.length > 0 && !schema.nullable && !types.includes('null')) return refuse(types.join(','), 'null');
  } else if (!isScalarless && format && !isOfType && size !== format) {
    return refuse(format, size);
  } else if (isScalarless && format && !types.includes('number') && !types.includes('integer')) {
    // The format judges it.
  } else if (types.length > 0 && !isOfType) return refuse(types.join(','), type);
  found.matches += 1;
}

const tolerance = 1e-9;

/** As swag does: what is a whole number but for a rounding error. */
export function isNearInteger(value: number): boolean {
  const rounded = Math.round(value);
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  return value === rounded || (rounded !== 0 && Math.abs(value - rounded) < tolerance * Math.abs(rounded));
}
