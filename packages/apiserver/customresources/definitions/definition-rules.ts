import { type FieldCause } from '@kubernode/api';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
} from '@kubernode/api/apiextensions/v1';
import { dns1035Label, dns1123Subdomain } from '@kubernode/machinery';
import { approvalCondition } from './approval.ts';
import { invalid, notSupported, required } from '../causes.ts';
import { hasCondition } from '../names.ts';
import type { Schema } from '../schema.ts';
import { someSchema } from './schema-walk.ts';

/** What is wrong with a definition beyond its versions: group, scope, names, flags of versions (in upstream's order). */
export function definitionCauses({ spec }: CustomResourceDefinition): FieldCause[] {
  return [...groupCauses(spec), ...scopeCauses(spec), ...preserveCauses(spec)];
}

function groupCauses({ group }: CustomResourceDefinitionSpec): FieldCause[] {
  if (!group) return [required('spec.group')];
  const bad = dns1123Subdomain(group);
  if (bad.length > 0) return [invalid('spec.group', group, bad.join(','))];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

const scopes = ['Cluster', 'Namespaced'];

function scopeCauses({ scope }: CustomResourceDefinitionSpec): FieldCause[] {
  if (!scope) return [required('spec.scope')];
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)];
}

/** Keeping all fields is a thing of the past; what stands on schemas does not go with it. */
function preserveCauses({ preserveUnknownFields, versions, conversion }: CustomResourceDefinitionSpec): FieldCause[] {
  if (!preserveUnknownFields) return [];
  const field = 'spec.preserveUnknownFields';
  const found: FieldCause[] = [];
  const hasDefault = (schema: Schema) => schema.default !== undefined && schema.default !== null;
  if (versions.some(({ schema }) => someSchema(schema?.openAPIV3Schema, hasDefault))) {
    found.push(invalid(field, true, 'must be false in order to use defaults in the schema'));
  }
  if (conversion && conversion.strategy !== 'None') {
    const detail = 'must be None if spec.preserveUnknownFields is true';
    found.push(invalid('spec.conversion.strategy', conversion.strategy, detail));
  }
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [...found, invalid(field, true, detail)];
}

/** Which versions there are, and which of them is stored. */
export function versionCauses({ versions }: CustomResourceDefinitionSpec): FieldCause[] {
  const found: FieldCause[] = [];
  const { length: stored } = versions.filter(({ storage }) => storage);
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    found.push(invalid('spec.versions', versions, 'must contain unique version names'));
  }
  if (stored !== 1) {
    found.push(invalid('spec.versions', versions, 'must have exactly one version marked as storage version'));
  }
  const first = versions[0]?.name ?? '';
  const bad = first ? dns1035Label(first) : [];
  if (bad.length > 0) found.push(invalid('spec.version', first, bad.join(',')));
  return found;
}

/** Names that are wanted (`spec.names`) are all there. */
export function wantedNamesCauses({ names }: CustomResourceDefinitionSpec): FieldCause[] {
  const missing = (['plural', 'singular', 'kind', 'listKind'] as const).filter((field) => !names[field]);
  return [...missing.map((field) => required(`spec.names.${field}`)), ...namesCauses(names, 'spec.names')];
}

/** Names that are wanted or accepted are labels, and kind and list kind differ. */
export function namesCauses(names: CustomResourceDefinitionNames, path: string): FieldCause[] {
  const found: FieldCause[] = [];
  for (const field of ['plural', 'singular'] as const) {
    const name = names[field] ?? '';
    const bad = name ? dns1035Label(name) : [];
    if (bad.length > 0) found.push(invalid(`${path}.${field}`, name, bad.join(',')));
  }
  for (const field of ['kind', 'listKind'] as const) {
    const name = names[field] ?? '';
    const bad = name ? dns1035Label(name.toLowerCase()) : [];
    const detail = `may have mixed case, but should otherwise match: ${bad.join(',')}`;
    if (bad.length > 0) found.push(invalid(`${path}.${field}`, name, detail));
  }
  const each = (field: 'shortNames' | 'categories') =>
    (names[field] ?? []).forEach((name, index) => {
      const bad = dns1035Label(name);
      if (bad.length > 0) found.push(invalid(`${path}.${field}[${index}]`, name, bad.join(',')));
    });
  each('shortNames');
  if (names.kind && names.kind === names.listKind) {
    found.push(invalid(`${path}.listKind`, names.listKind, 'kind and listKind may not be the same'));
  }
  each('categories');
  return found;
}

/** What may never change: it is part of where and as what instances are stored. */
export function changeCauses(crd: CustomResourceDefinition, old: CustomResourceDefinition): FieldCause[] {
  const detail = 'field is immutable';
  const found: FieldCause[] = [];
  const isFixed = hasCondition(old, 'Established');
  const [now, before] = [crd.spec, old.spec];
  if (isFixed && now.scope !== before.scope) found.push(invalid('spec.scope', now.scope, detail));
  if (isFixed && now.names.kind !== before.names.kind) {
    found.push(invalid('spec.names.kind', now.names.kind, detail));
  }
  if (now.group !== before.group) found.push(invalid('spec.group', now.group, detail));
  if (now.names.plural !== before.names.plural) found.push(invalid('spec.names.plural', now.names.plural, detail));
  return found;
}

export function storedVersionCauses({ spec, status }: CustomResourceDefinition): FieldCause[] {
  const { storedVersions: stored } = status;
  const path = 'status.storedVersions';
  if (stored.length === 0) return [invalid(path, stored, 'must have at least one stored version')];
  const known = new Set(spec.versions.map(({ name }) => name));
  const left = new Set(stored);
  const found: FieldCause[] = [];
  for (const { name, storage } of spec.versions) {
    if (storage && !left.has(name)) found.push(invalid(path, stored, `must have the storage version ${name}`));
    left.delete(name);
  }
  stored.forEach((name, index) => {
    if (known.has(name)) return;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    found.push(invalid(`${path}[${index}]`, name, detail));
  });
  return found;
}

/** Groups of the Kubernetes community need its approval; what was not approved before may stay so. */
export function approvalCauses(crd: CustomResourceDefinition, old?: CustomResourceDefinition): FieldCause[] {
  const { reason, message = '' } = approvalCondition(crd) ?? {};
  if (old && approvalCondition(old)?.reason === reason) return [];
  const at = 'metadata.annotations[api-approved.kubernetes.io]';
  if (reason === 'MissingAnnotation') return [required(at, message)];
  const value = crd.metadata.annotations?.['api-approved.kubernetes.io'];
  return reason === 'InvalidAnnotation' ? [invalid(at, value, message)] : [];
}
