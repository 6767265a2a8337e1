import type { User } from '@kubernode/api';
import {
  boolType,
  compileProgram,
  Double,
  dynType,
  kubernetesEnvironment,
  listType,
  mapType,
  objectType,
  stringType,
  type CelType,
  type Program,
} from '@kubernode/machinery/cel';

/** The claims of a token, or what a user is, in an expression. */
export type Scope = 'claims' | 'user';

const userFields = new Map<string, { readonly type: CelType }>([
  ['username', { type: stringType }],
  ['uid', { type: stringType }],
  ['groups', { type: listType(stringType) }],
  ['extra', { type: mapType(stringType, listType(stringType)) }],
]);

const environments = {
  claims: kubernetesEnvironment.extend({ variables: { claims: mapType(stringType, dynType) } }),
  user: kubernetesEnvironment.extend({ variables: { user: objectType('kubernetes.UserInfo', () => userFields) } }),
};

/** Throws Error with upstream's detail where the expression cannot be compiled, or does not give a boolean. */
export function compileExpression(source: string, scope: Scope, mustBeBoolean: boolean): Program {
  let program: Program;
  try {
    program = compileProgram(source, environments[scope]);
  } catch (error) {
    throw new Error(`compilation failed: ${(error as Error).message}`, { cause: error });
  }
  if (mustBeBoolean && program.type !== boolType) throw new Error('must evaluate to bool');
  return program;
}

/** The claims as expressions see them: all numbers of JSON are doubles. */
export const claimBindings = (claims: Readonly<Record<string, unknown>>) => ({ claims: withDoubles(claims) });

function withDoubles(value: unknown): unknown {
  if (typeof value === 'number') return new Double(value);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withDoubles(item)]));
}

export const userBindings = ({ name, uid = '', groups, extra = {} }: User) => ({
  user: { username: name, uid, groups, extra },
});

/** A text, or a list of texts; empty ones are left out. Throws where it is neither. */
export function textsOf(value: unknown): string[] {
  const refuse = () => new Error('expression must return a string or a list of strings');
  if (value === null || value === undefined) return [];
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (!Array.isArray(value)) throw refuse();
  return value.flatMap((item) => {
    if (typeof item !== 'string') throw refuse();
    return item === '' ? [] : [item];
  });
}
