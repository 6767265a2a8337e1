import {
  admissionEnvironment,
  type AdmissionVariables,
  applyConfigurationType,
  boolType,
  CelCompileError,
  type CelType,
  compileProgram,
  type Environment,
  formatType,
  jsonPatchType,
  listType,
  nullType,
  type Program,
  stringType,
} from '@kubernode/machinery/cel';
import type { FieldCause } from '../../status-error.ts';
import { invalid } from '../cause.ts';

/** What an expression has to come to; undefined: anything. */
export const results = {
  condition: [boolType],
  message: [stringType],
  auditAnnotation: [stringType, nullType],
  applyConfiguration: [applyConfigurationType],
  jsonPatch: [listType(jsonPatchType)],
  variable: undefined,
} as const satisfies Record<string, readonly CelType[] | undefined>;

const withoutVariables = {};
/** By the variables of a policy, and what else its expressions may name. */
const known = new WeakMap<object, Map<string, Environment>>();

/** Environments without variables are the same for all, those of one policy for each of its thousands of expressions. */
function environmentOf(names: AdmissionVariables): Environment {
  const environments = known.get(names.variables ?? withoutVariables) ?? new Map<string, Environment>();
  known.set(names.variables ?? withoutVariables, environments);
  const key = `${names.params} ${names.authorizer} ${names.patchTypes}`;
  let environment = environments.get(key);
  if (!environment) environments.set(key, (environment = admissionEnvironment(names)));
  return environment;
}

/** Compiles; what does not compile, or comes to something else, is a cause. `shown` is what the message quotes. */
export function compileExpression(
  text: string,
  path: string,
  names: AdmissionVariables,
  wanted: readonly CelType[] | undefined,
  shown = text,
): { readonly program?: Program; readonly causes: readonly FieldCause[] } {
  try {
    const program = compileProgram(text, environmentOf(names));
    const type = formatType(program.type);
    if (!wanted || wanted.some((one) => formatType(one) === type)) return { program, causes: [] };
    const expectedTypes = wanted.map((one) => (one.kind === 'null' ? 'null_type' : formatType(one)));
    const expected =
      wanted.length === 1
        ? `must evaluate to ${expectedTypes[0]}`
        : `must evaluate to one of [${expectedTypes.join(' ')}]`;
    return { causes: [invalid(path, shown, `${expected} but got ${type}`)] };
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return { causes: [invalid(path, shown, `compilation failed: ${error.message}`)] };
  }
}
