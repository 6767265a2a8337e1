import { isMap } from './equality.ts';
import { CelError } from '../errors.ts';
import type { Overload } from '../function.ts';
import { typeName, type CelType } from '../types.ts';
import { isList, valueType, type CelValue } from '../values.ts';
import { work } from '../work.ts';

type Apply = Overload['implement'];

/**
 * One function for the overloads that a call may mean: the one there is, when the checker knows the types, otherwise
 * the first that takes the values. Throws `CelError` when none does.
 */
export function dispatcher(name: string, overloads: readonly Overload[], types: readonly CelType[]): Apply {
  const [first] = overloads;
  if (first === undefined) return () => fail(name, []);
  const isShared = overloads.every((overload) => overload.implement === first.implement);
  const isChecked = overloads.length === 1 && first.parameters.every((type, index) => isSafe(type, types[index]));
  if (isShared && (isChecked || isOperator(name))) return first.implement;
  return (...values) => {
    for (const overload of overloads) {
      const { parameters } = overload;
      if (parameters.length !== values.length) continue;
      if (parameters.every((type, index) => hasType(values[index] as CelValue, type)))
        return overload.implement(...values);
    }
    return fail(name, values);
  };
}

/** Operators look at their values themselves. */
const isOperator = (name: string): boolean => /^(?:_|@|-_)/.test(name);

const isSafe = (expected: CelType, found: CelType | undefined): boolean =>
  expected.kind === 'parameter' || expected.kind === 'dyn' || (found !== undefined && found.kind === expected.kind);

function fail(name: string, values: readonly CelValue[]): never {
  if (isOperator(name) || name === '!_') throw new CelError('no such overload');
  throw new CelError(`no such overload: ${name}(${values.map(valueType).join(', ')})`);
}

function hasType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'parameter':
      return true;
    case 'list':
      if (!isList(value) || type.element.kind === 'parameter') return isList(value);
      work(value.length);
      return value.every((element) => hasType(element, type.element));
    case 'map':
    case 'object':
      return isMap(value);
    default:
      return valueType(value) === typeName(type);
  }
}
