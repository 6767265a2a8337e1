import { shapeOf } from '../shapes.ts';
import { DecodeError } from './decode-error.ts';
import type { Reader } from './reader.ts';
import { readAny } from './reader.ts';

/**
 * Types of CRD schemas whose JSON is not what their fields say (apiextensions/v1 marshal.go): free JSON, or a schema
 * that may also be a list, a boolean or a list of strings.
 */
export type SpecialForm = 'any' | 'schemaOrList' | 'schemaOrBool' | 'schemaOrStrings';

const group = 'apiextensions.k8s.io/v1';
const forms: Readonly<Record<string, SpecialForm | undefined>> = {
  [`${group}.JSON`]: 'any',
  [`${group}.JSONSchemaPropsOrArray`]: 'schemaOrList',
  [`${group}.JSONSchemaPropsOrBool`]: 'schemaOrBool',
  [`${group}.JSONSchemaPropsOrStringArray`]: 'schemaOrStrings',
};

/** The special form of a type of the facts, if it has one. */
export const specialFormOf = (typeName: string): SpecialForm | undefined => forms[typeName];

export const schemaShape = () => shapeOf(`${group}.JSONSchemaProps`);

export function specialReader(form: SpecialForm, readSchema: Reader): Reader {
  switch (form) {
    case 'any':
      return readAny;
    case 'schemaOrList':
      return (value, state) =>
        Array.isArray(value) ? value.map((item: unknown) => readSchema(item ?? {}, state)) : readSchema(value, state);
    case 'schemaOrBool':
      return (value, state) => {
        if (typeof value === 'boolean') return value;
        if (typeof value === 'object' && !Array.isArray(value)) return readSchema(value, state);
        throw new DecodeError('boolean or JSON schema expected');
      };
    case 'schemaOrStrings':
      return (value, state) => (Array.isArray(value) ? value.map(readString) : readSchema(value, state));
  }
}

function readString(value: unknown): string {
  if (typeof value !== 'string') throw DecodeError.mismatch(value, 'string');
  return value;
}
