import { annotationKey, dns1123Label, labelValue, qualifiedName } from '@kubernode/machinery';
import type { ObjectMeta, OwnerReference } from '../generated/types/meta/v1.ts';
import type { FieldCause } from '../status-error.ts';
import { forbidden, invalid, required, tooLong } from './cause.ts';
import { type NameRule, pathSegment, subdomainName } from './names.ts';
import { all, each, eachKey, fields, join, type Rule } from './rule.ts';
import { format, immutable, nonNegative, requiredBecause } from './values.ts';

const annotationsBytesMax = 256 * 1024;
const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Groups whose finalizers need no domain of their own. */
const groupsOfPlainFinalizers = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'policy',
]);

export interface MetadataRules {
  readonly namespaced: boolean;
  readonly validateName?: NameRule | undefined;
  /** The kind's group: most, but not all, want finalizers with a domain. Absent: no such check (custom resources). */
  readonly group?: string | undefined;
}

/** All that is wrong with an object's metadata, whatever its kind (apimachinery, ValidateObjectMeta). */
export function validateMetadata(metadata: ObjectMeta, rules: MetadataRules, path = 'metadata'): readonly FieldCause[] {
  return [...nameCauses(metadata, rules, path), ...commonCauses(metadata, rules, path)];
}

/** All that is wrong with a change of metadata; the name was checked when the object was made. */
export function validateMetadataUpdate(
  metadata: ObjectMeta,
  old: ObjectMeta,
  rules: Pick<MetadataRules, 'group'> & { readonly prefixRule?: NameRule | undefined } = {},
  path = 'metadata',
): readonly FieldCause[] {
  const { generateName } = metadata;
  // That it is a segment of a path is judged of every kind, by some once more as part of their own rule.
  const prefix = generateName
    ? [...pathSegment(generateName, true), ...(rules.prefixRule?.(generateName, true) ?? [])]
    : [];
  const found = [...keptFields(metadata, path, old)];
  found.push(...prefix.map((detail) => invalid(`${path}.generateName`, generateName, detail)));
  if (old.deletionTimestamp) found.push(...addedFinalizers(metadata, old, path));
  return [...found, ...commonCauses(metadata, rules, path)];
}

function nameCauses(metadata: ObjectMeta, rules: MetadataRules, path: string): FieldCause[] {
  const { name, generateName = '', namespace = '' } = metadata;
  const nameRule = rules.validateName ?? subdomainName;
  const found: FieldCause[] = [];
  if (generateName) {
    found.push(...nameRule(generateName, true).map((detail) => invalid(`${path}.generateName`, generateName, detail)));
  }
  if (name) found.push(...nameRule(name, false).map((detail) => invalid(`${path}.name`, name, detail)));
  else found.push(required(`${path}.name`, 'name or generateName is required'));
  if (rules.namespaced && !namespace) found.push(required(`${path}.namespace`));
  if (rules.namespaced && namespace) {
    found.push(...dns1123Label(namespace).map((detail) => invalid(`${path}.namespace`, namespace, detail)));
  }
  if (!rules.namespaced && namespace) found.push(forbidden(`${path}.namespace`, 'not allowed on this type'));
  return found;
}

const keptFields = fields<ObjectMeta>({
  name: immutable,
  namespace: immutable,
  uid: immutable,
  creationTimestamp: immutable,
  deletionTimestamp: immutable,
  deletionGracePeriodSeconds: immutable,
});

function addedFinalizers(metadata: ObjectMeta, old: ObjectMeta, path: string): FieldCause[] {
  const before = new Set(old.finalizers);
  const added = (metadata.finalizers ?? []).filter((name) => !before.has(name));
  if (added.length === 0) return [];
  const list = added
    .toSorted()
    .map((name) => JSON.stringify(name))
    .join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbidden(`${path}.finalizers`, detail)];
}

function commonCauses(metadata: ObjectMeta, { group }: Pick<MetadataRules, 'group'>, path: string): FieldCause[] {
  const found = [...commonRules(metadata, path)];
  if (group !== undefined && !groupsOfPlainFinalizers.has(group)) {
    found.push(...qualifiedFinalizers(metadata.finalizers ?? [], `${path}.finalizers`));
  }
  return found;
}

/** Keys are qualified names and values label values; all causes are at the map itself. */
export const labels: Rule<Record<string, string>> = (map, path) => {
  let found: readonly FieldCause[] = [];
  for (const key of Object.keys(map)) {
    found = join(join(found, labelKeys(key, path)), labelValues(map[key] ?? '', path));
  }
  return found;
};

const labelKeys = format(qualifiedName);
const labelValues = format(labelValue);

/** Keys are qualified names, upper case aside; together at most 256 KiB. */
export const annotations: Rule<Record<string, string>> = (map, path) => {
  let bytes = 0;
  const found: FieldCause[] = [];
  for (const [key, value] of Object.entries(map)) {
    for (const detail of annotationKey(key)) found.push(invalid(path, key, detail));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > annotationsBytesMax) found.push(tooLong(path, annotationsBytesMax));
  return found;
};

/** What authors of pods say to signers: annotations whose keys all name a domain. */
export const userAnnotations: Rule<Record<string, string>> = (map, path) => {
  const tooLarge = annotations(map, path).filter(({ reason }) => reason === 'FieldValueTooLong');
  return [...Object.keys(map).flatMap((key) => domainKey(key.toLowerCase(), path)), ...tooLarge];
};

function domainKey(key: string, path: string): FieldCause[] {
  if (!key) return [required(path)];
  const details = annotationKey(key);
  if (details.length === 0 && !key.includes('/')) {
    return [invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
  }
  return details.map((detail) => invalid(path, key, detail));
}

const ownerReference: Rule<OwnerReference> = all(
  fields<OwnerReference>({
    apiVersion: requiredBecause('version must not be empty'),
    kind: requiredBecause('must not be empty'),
    name: requiredBecause('must not be empty'),
    uid: requiredBecause('must not be empty'),
  }),
  ({ apiVersion }, path) =>
    apiVersion && apiVersion.split('/').length > 2
      ? [invalid(`${path}.apiVersion`, apiVersion, 'version must be <group>/<version> or <version>')]
      : [],
  ({ apiVersion, kind }, path) => {
    if (kind !== 'Event' || (apiVersion !== 'v1' && !apiVersion?.startsWith('events.k8s.io/'))) return [];
    const named = apiVersion === 'v1' ? '/v1, Kind=Event' : `${apiVersion}, Kind=Event`;
    return [invalid(path, named, `${named} is disallowed from being an owner`)];
  },
);

const oneController: Rule<readonly OwnerReference[]> = (references, path) => {
  const controllers = references.filter((reference) => reference.controller);
  if (controllers.length < 2) return [];
  const [first, second] = controllers;
  const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${second?.kind}/${second?.name}`;
  return [invalid(path, references, detail)];
};

const finalizers: Rule<readonly string[]> = (names, path) => {
  const found = names.flatMap((name) => qualifiedName(name).map((detail) => invalid(path, name, detail)));
  if (names.includes('orphan') && names.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
    found.push(invalid(path, names, detail));
  }
  return found;
};

const qualifiedFinalizers = each<string>((name, path) =>
  standardFinalizers.has(name) || name.includes('/')
    ? []
    : [invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')],
);

const commonRules = fields<ObjectMeta>({
  generation: nonNegative,
  labels,
  annotations,
  ownerReferences: all<readonly OwnerReference[]>(each(ownerReference), oneController),
  finalizers,
});

/** Keys that name data: `data[tls.key]`. */
export const dataKeys = (validator: (key: string) => readonly string[]) => eachKey(format(validator));
