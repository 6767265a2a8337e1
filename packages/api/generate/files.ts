import { deprecationOf } from './deprecation.ts';
import type { Facts, ResourceFacts } from './facts.ts';
import { neededTypes } from './facts.ts';
import { shapesTable } from './shapes-table.ts';
import { typeFiles } from './type-files.ts';

/** All generated files: path below `generated/` → text. */
export function generatedFiles(facts: Facts, resources: ResourceFacts): Map<string, string> {
  const names = neededTypes(facts, resources);
  return new Map([
    ...typeFiles(facts, resources, names),
    ['shapes.json', shapesTable(facts, names)],
    ['resources.json', lines(withDeprecations(facts, resources), resources, facts.kubernetes)],
  ]);
}

/** With what is said of resources that are deprecated in this release. */
function withDeprecations({ kinds, kubernetes }: Facts, { resources }: ResourceFacts): readonly object[] {
  const keyOf = ({ group, version, kind }: { group: string; version: string; kind: string }) =>
    `${group}/${version}/${kind}`;
  const lifecycles = new Map(kinds.map((fact) => [keyOf(fact), fact.lifecycle]));
  return resources.map((resource) => {
    const deprecation = deprecationOf(resource, lifecycles.get(keyOf(resource)) ?? {}, kubernetes);
    return deprecation ? { ...resource, deprecation } : resource;
  });
}

/** One resource a line, so that a new release shows as a readable difference. */
function lines(rows: readonly unknown[], facts: ResourceFacts, release: string): string {
  const { groups, groupsServedByDefault } = facts;
  const table = (items: readonly unknown[]) => `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]`;
  return `{"release":"v${release}",\n"groups":${table(groups)},\n"groupsServedByDefault":${table(groupsServedByDefault)},\n"resources":${table(rows)}}\n`;
}
