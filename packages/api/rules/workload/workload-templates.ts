import type { CompositePodGroupTemplate, WorkloadSpec } from '../../generated/types/scheduling/v1beta1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid } from '../cause.ts';

type Template = CompositePodGroupTemplate;

const depthMax = 4;

/** Templates of groups, and of groups of groups (ValidateWorkloadSpec); that names differ in one list, markers say. */
export function workloadTemplates(spec: WorkloadSpec): readonly FieldCause[] {
  const { podGroupTemplates, compositePodGroupTemplates: composites = [] } = spec;
  const names = new Set(podGroupTemplates.map(({ name }) => name));
  const path = 'spec.compositePodGroupTemplates';
  return [
    ...repeatedNames(composites, path, names),
    ...composites.flatMap((template, index) =>
      depthOf(template) < depthMax
        ? []
        : [invalid(`${path}[${index}]`, template, `maximum template hierarchy depth is ${depthMax}`)],
    ),
    ...priorities(spec),
    ...childless(composites, path),
  ];
}

/** A name is used once in the whole hierarchy. */
function repeatedNames(templates: readonly Template[], path: string, names: Set<string>): FieldCause[] {
  const known = (list: readonly { readonly name: string }[], at: string) => {
    const found = list.flatMap(({ name }, index) => (names.has(name) ? [duplicate(`${at}[${index}].name`, name)] : []));
    for (const { name } of list) names.add(name);
    return found;
  };
  return [
    ...known(templates, path),
    ...templates.flatMap(({ podGroupTemplates = [], compositePodGroupTemplates = [] }, index) => [
      ...known(podGroupTemplates, `${path}[${index}].podGroupTemplates`),
      ...repeatedNames(compositePodGroupTemplates, `${path}[${index}].compositePodGroupTemplates`, names),
    ]),
  ];
}

const depthOf = ({ compositePodGroupTemplates: inner = [] }: Template): number =>
  1 + Math.max(0, ...inner.map(depthOf));

/** All have one priority. */
function priorities({ podGroupTemplates, compositePodGroupTemplates = [] }: WorkloadSpec): FieldCause[] {
  const found = new Set<string>();
  const look = (one: { readonly priorityClassName?: string | undefined; readonly priority?: number | undefined }) =>
    found.add(JSON.stringify([one.priorityClassName ?? '', one.priority ?? null]));
  podGroupTemplates.forEach(look);
  if (found.size > 1) return [invalid('spec', null, 'detected multiple priority configurations')];
  const walk = (template: Template): void => {
    look(template);
    template.compositePodGroupTemplates?.forEach(walk);
    template.podGroupTemplates?.forEach(look);
  };
  compositePodGroupTemplates.forEach(walk);
  if (found.size <= 1) return [];
  const detail = 'all priority and priorityClassName values must be identical, detected multiple values';
  return [invalid('spec', null, detail)];
}

function childless(templates: readonly Template[], path: string): FieldCause[] {
  return templates.flatMap(({ name, podGroupTemplates = [], compositePodGroupTemplates: inner = [] }, index) => {
    const at = `${path}[${index}]`;
    const detail = 'must have at least one child PodGroupTemplate or CompositePodGroupTemplate';
    return [
      ...(podGroupTemplates.length + inner.length === 0 ? [invalid(at, name, detail)] : []),
      ...childless(inner, `${at}.compositePodGroupTemplates`),
    ];
  });
}
