import { boolType, bytesType, doubleType, intType, nullType, stringType, uintType, type CelType } from '../types.ts';
import { Double, Uint, type CelValue } from '../values.ts';

/** The type of the value of a literal. */
export function literalType(value: CelValue): CelType {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'boolean':
      return boolType;
    case 'number':
    case 'bigint':
      return intType;
    default:
      if (value === null) return nullType;
      if (value instanceof Uint) return uintType;
      return value instanceof Double ? doubleType : bytesType;
  }
}
