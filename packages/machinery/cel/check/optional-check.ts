import type { CallExpression, Expression } from '../syntax/ast.ts';
import { optionalType, type CelType } from '../types.ts';

/** The type within an optional type; undefined for any other type. */
export function isOptional(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined;
}

/** The type of `operand.?field`, which no signature can describe; undefined for any other call. */
export function checkOptionalSelect(
  call: CallExpression,
  check: (expression: Expression) => CelType,
  field: (at: number, operand: CelType, name: string) => CelType,
): CelType | undefined {
  const [operand, name] = call.arguments;
  if (call.function !== '_?._' || operand === undefined || name?.kind !== 'literal' || typeof name.value !== 'string')
    return undefined;
  check(name);
  const type = field(call.at, check(operand), name.value);
  return isOptional(type) === undefined ? optionalType(type) : type;
}
