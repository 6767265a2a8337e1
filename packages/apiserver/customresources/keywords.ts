import { deepEqual } from '@kubernode/machinery';
import { invalid, notSupported, tooLong, tooMany, typeInvalid } from './causes.ts';
import { isOfFormat } from './formats.ts';
import { compilePattern } from './pattern.ts';
import { isPlain, type Schema } from './schema.ts';
import { fieldOf, type Found } from './found.ts';

/** What the keywords of one node say of a value, whatever is below it. */
export function checkKeywords(value: unknown, schema: Schema, path: string, found: Found): void {
  if (typeof value === 'string') checkText(value, schema, path, found);
  if (typeof value === 'number') checkNumber(value, schema, path, found);
  if (Array.isArray(value)) checkList(value, schema, path, found);
  checkEnum(value, schema, path, found);
  if (isPlain(value)) checkSize(Object.keys(value).length, schema, path, found);
}

function checkText(text: string, schema: Schema, path: string, { causes }: Found): void {
  const { maxLength, minLength, pattern, format, type } = schema;
  const field = fieldOf(path);
  if (maxLength !== undefined || minLength !== undefined) {
    const length = Array.from(text).length;
    if (maxLength !== undefined && length > maxLength) causes.push(tooLong(field, maxLength));
    if (minLength !== undefined && length < minLength) {
      causes.push(invalid(field, text, `${path} in body should be at least ${minLength} chars long`));
    }
  }
  if (pattern) {
    const compiled = compilePattern(pattern);
    if (compiled instanceof Error || !compiled.test(text)) {
      causes.push(invalid(field, text, `${path} in body should match '${pattern}'`));
    }
  }
  if (format && (!type || type === 'string') && !isOfFormat(text, format)) {
    const detail = `${path} in body must be of type ${format}: ${JSON.stringify(text)}`;
    causes.push(typeInvalid(field, text, detail));
  }
}

function checkNumber(value: number, schema: Schema, path: string, { causes }: Found): void {
  const { maximum, minimum, exclusiveMaximum, exclusiveMinimum, multipleOf } = schema;
  const fail = (detail: string) => causes.push(invalid(fieldOf(path), value, `${path} in body should be ${detail}`));
  if (multipleOf !== undefined && !Number.isInteger(roundedRatio(value, multipleOf))) {
    fail(`a multiple of ${multipleOf}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    fail(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    fail(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
  }
  checkRange(value, schema, path, causes);
}

const roundedRatio = (value: number, factor: number) => {
  const ratio = value / factor;
  return Math.abs(ratio - Math.round(ratio)) < 1e-9 ? Math.round(ratio) : ratio;
};

const int32Max = 2 ** 31;

function checkRange(value: number, { type, format }: Schema, path: string, causes: Found['causes']): void {
  if (type !== 'integer' || format !== 'int32' || (value >= -int32Max && value < int32Max)) return;
  causes.push(invalid('<nil>', '', `Checked value must be of type integer with format int32 in ${path}`));
}

function checkList(list: readonly unknown[], schema: Schema, path: string, { causes }: Found): void {
  const { maxItems, minItems, uniqueItems } = schema;
  if (minItems !== undefined && list.length < minItems) {
    causes.push(invalid(fieldOf(path), list.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) causes.push(tooMany(fieldOf(path), list.length, maxItems));
  if (uniqueItems && new Set(list.map((item) => JSON.stringify(item))).size < list.length) {
    causes.push(invalid(fieldOf(path), '', `${path} in body shouldn't contain duplicates`));
  }
}

function checkEnum(value: unknown, schema: Schema, path: string, found: Found): void {
  const values = schema.enum as readonly unknown[] | undefined;
  if (!values || values.length === 0) return;
  if (value !== null && values.some((each) => isSameAs(each, value))) {
    found.matches += 1;
    return;
  }
  const supported = values.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  found.causes.push(notSupported(fieldOf(path), value, supported));
}

/** Numbers are compared as the choice's own type: 1.5 is 1 where 1 is asked for (kube-openapi). */
function isSameAs(choice: unknown, value: unknown): boolean {
  if (typeof choice === 'number' && typeof value === 'number') {
    return choice === (Number.isInteger(choice) ? Math.trunc(value) : value);
  }
  return choice === value || deepEqual(choice, value);
}

function checkSize(size: number, { minProperties, maxProperties }: Schema, path: string, { causes }: Found): void {
  if (minProperties !== undefined && size < minProperties) {
    causes.push(invalid(fieldOf(path), size, `${path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && size > maxProperties) causes.push(tooMany(fieldOf(path), size, maxProperties));
}
