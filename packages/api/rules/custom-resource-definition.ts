import { dns1035Label, dns1123Subdomain } from '@kubernode/machinery';
import type { CustomResourceDefinition, CustomResourceDefinitionSpec } from '../generated/types/apiextensions/v1.ts';
import type { FieldCause } from '../status-error.ts';
import { invalid, notSupported, required as requiredCause } from './cause.ts';
import type { Rule } from './rule.ts';

/** Names, scope and versions; schemas are checked where they are compiled. */
export const customResourceRules: Rule<CustomResourceDefinition> = ({ metadata, spec }) => {
  const { group, names, scope, versions } = spec;
  const found: FieldCause[] = [];
  const expected = `${names.plural}.${group}`;
  if (metadata.name !== expected)
    found.push(invalid('metadata.name', metadata.name, `must be spec.names.plural+"."+spec.group`));
  if (!group) found.push(requiredCause('spec.group'));
  else {
    found.push(...dns1123Subdomain(group).map((detail) => invalid('spec.group', group, detail)));
    if (!group.includes('.')) found.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
  }
  if (!scope) found.push(requiredCause('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced')
    found.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  return [...found, ...nameCauses(names), ...versionCauses(versions)];
};

function nameCauses(names: CustomResourceDefinitionSpec['names']): FieldCause[] {
  const single = (['plural', 'singular', 'kind', 'listKind'] as const).flatMap((field) => {
    const at = `spec.names.${field}`;
    const name = names[field];
    if (!name) return [requiredCause(at)];
    return dns1035Label(name.toLowerCase()).map((detail) => invalid(at, name, detail));
  });
  const lists = (['shortNames', 'categories'] as const).flatMap((field) =>
    (names[field] ?? []).flatMap((name, index) =>
      dns1035Label(name).map((detail) => invalid(`spec.names.${field}[${index}]`, name, detail)),
    ),
  );
  return [...single, ...lists];
}

function versionCauses(versions: CustomResourceDefinitionSpec['versions']): FieldCause[] {
  const found = versions.flatMap(({ name, schema }, index) => {
    const at = `spec.versions[${index}]`;
    const causes = dns1035Label(name).map((detail) => invalid(`${at}.name`, name, detail));
    if (!schema?.openAPIV3Schema) causes.push(requiredCause(`${at}.schema.openAPIV3Schema`, 'schemas are required'));
    return causes;
  });
  const stored = versions.filter(({ storage }) => storage).length;
  if (stored !== 1) {
    found.push(
      invalid(
        'spec.versions',
        versions.map(({ name }) => name),
        'must have exactly one version marked as storage version',
      ),
    );
  }
  return found;
}
