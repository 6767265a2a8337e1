import { aggregateMessages } from '@kubernode/machinery';
import type { SubjectAccessReviewSpec } from '@kubernode/api/authorization/v1';
import {
  boolType,
  compileProgram,
  formatType,
  kubernetesEnvironment,
  listType,
  mapType,
  objectType,
  stringType,
  type CelType,
  type Program,
} from '@kubernode/machinery/cel';

const object = (name: string, fields: Readonly<Record<string, CelType>>): CelType =>
  objectType(`kubernetes.${name}`, () => new Map(Object.entries(fields).map(([field, type]) => [field, { type }])));

const texts = (...names: readonly string[]): Record<string, CelType> =>
  Object.fromEntries(names.map((name) => [name, stringType]));

const requirement = object('SelectorRequirement', { ...texts('key', 'operator'), values: listType(stringType) });
const selector = (name: string) => object(name, { rawSelector: stringType, requirements: listType(requirement) });

const environment = kubernetesEnvironment.extend({
  variables: {
    request: object('SubjectAccessReviewSpec', {
      resourceAttributes: object('ResourceAttributes', {
        ...texts('namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'),
        fieldSelector: selector('FieldSelectorAttributes'),
        labelSelector: selector('LabelSelectorAttributes'),
      }),
      nonResourceAttributes: object('NonResourceAttributes', texts('path', 'verb')),
      user: stringType,
      groups: listType(stringType),
      extra: mapType(stringType, listType(stringType)),
      uid: stringType,
    }),
  },
});

/** Throws Error with upstream's detail. */
export function compileMatchCondition(source: string): Program {
  let program: Program;
  try {
    program = compileProgram(source, environment);
  } catch (error) {
    throw new Error(`compilation failed: ${(error as Error).message}`, { cause: error });
  }
  if (program.type !== boolType) throw new Error(`must evaluate to bool but got ${formatType(program.type)}`);
  return program;
}

/** Whether all conditions hold; one that does not hold counts more than others that fail. Throws what failed. */
export function allMatch(conditions: readonly Program[], spec: SubjectAccessReviewSpec): boolean {
  const errors: string[] = [];
  const bindings = { request: complete(spec) };
  for (const condition of conditions) {
    const { value, error } = condition.attempt(bindings, Infinity);
    if (error) {
      errors.push(`cel evaluation error: expression '${condition.source}' resulted in error: ${error.message}`);
    } else if (value !== true) return false;
  }
  if (errors.length === 0) return true;
  throw new Error(aggregateMessages(errors));
}

/** What is empty is there in expressions, but for selectors. */
function complete({ user = '', groups = [], uid = '', extra = {}, ...rest }: SubjectAccessReviewSpec): object {
  const { resourceAttributes, nonResourceAttributes } = rest;
  const empty = { namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' };
  return {
    user,
    groups,
    uid,
    extra,
    ...(resourceAttributes && { resourceAttributes: { ...empty, ...resourceAttributes } }),
    ...(nonResourceAttributes && { nonResourceAttributes: { path: '', verb: '', ...nonResourceAttributes } }),
  };
}
