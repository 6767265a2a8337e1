import type { FieldCause, KindDefinition, KubernetesObject } from '@kubernode/api';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@kubernode/api/apiextensions/v1';
import { deepEqual } from '@kubernode/machinery';
import { approvalCondition } from './approval.ts';
import { duplicate, forbidden, invalid, required, tooMany } from './causes.ts';
import { defaultCauses } from './default-rules.ts';
import { isKnownFormat } from './formats.ts';
import { changeCauses, definitionCauses } from './definition-rules.ts';
import { compilationCauses } from './rule-compilation.ts';
import { schemaAt } from './rule-causes.ts';
import { schemaCauses } from './schema-rules.ts';
import { isPlain, itemsOf, type Schema } from './schema.ts';
import { structuralCauses } from './structural.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['', 'byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const selectableFieldsMax = 8;

/** The CRD's own kind, with what is known only here: how its schemas are read. */
export function withSchemaRules(definition: KindDefinition): KindDefinition {
  return {
    ...definition,
    validate: (object) => [
      ...(definition.validate?.(object) ?? []).filter(({ field }) => field !== 'metadata.name'),
      ...definitionCauses(object as unknown as CustomResourceDefinition),
      ...crdCauses(object as unknown as CustomResourceDefinition),
    ],
    validateCreate: (object) => [
      ...(definition.validate?.(object) ?? []).filter(({ field }) => field === 'metadata.name'),
      ...(definition.validateCreate?.(object) ?? []),
      ...approvalCauses(object as unknown as CustomResourceDefinition),
    ],
    validateUpdate: (object, old) => [
      ...(definition.validateUpdate?.(object, old) ?? []),
      ...changeCauses(object as unknown as CustomResourceDefinition, old as unknown as CustomResourceDefinition),
    ],
    warnings: (object, old) => [...(definition.warnings?.(object, old) ?? []), ...formatWarnings(object, old)],
  };
}

function crdCauses({ spec }: CustomResourceDefinition): FieldCause[] {
  const { versions } = spec;
  // What all versions say alike belongs, upstream, to the definition as a whole.
  const shares = (read: (version: CustomResourceDefinitionVersion) => unknown) => {
    const [first] = versions;
    const isSaid = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
    return first !== undefined && versions.every((each) => isSaid(read(each)) && deepEqual(read(each), read(first)));
  };
  const sharesSchema = shares(({ schema }) => schema);
  const sharesSubresources = shares(({ subresources }) => subresources);
  const sharesColumns = shares(({ additionalPrinterColumns }) => additionalPrinterColumns);
  const sharesFields = shares(({ selectableFields }) => selectableFields);
  return versions.flatMap((version, index) => {
    const at = `spec.versions[${index}]`;
    const place = (isShared: boolean, name: string, sharedName = name) =>
      isShared ? (index === 0 ? `spec.${sharedName}` : undefined) : `${at}.${name}`;
    return [
      ...inPlace(place(sharesSchema, 'schema', 'validation'), (path) => versionSchema(version, path)),
      ...inPlace(place(sharesSubresources, 'subresources'), (path) => subresourceCauses(version, path)),
      ...inPlace(place(sharesColumns, 'additionalPrinterColumns'), (path) => columnCauses(version, path)),
      ...inPlace(place(sharesFields, 'selectableFields'), (path) => selectableCauses(version, path)),
      ...deprecationCauses(version, `${at}.deprecationWarning`),
    ];
  });
}

const inPlace = (path: string | undefined, check: (path: string) => FieldCause[]) => (path ? check(path) : []);

const atRootWithStatus = new Set(
  (
    'description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern ' +
    'maxItems minItems uniqueItems multipleOf required items properties externalDocs example ' +
    'x-kubernetes-preserve-unknown-fields x-kubernetes-validations'
  ).split(' '),
);

function versionSchema({ schema, subresources }: CustomResourceDefinitionVersion, at: string): FieldCause[] {
  const root = schema?.openAPIV3Schema;
  if (!root) return [];
  const path = `${at}.openAPIV3Schema`;
  const found: FieldCause[] = [];
  if (subresources?.status) {
    if (root.type && root.type !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      found.push(invalid(`${path}.type`, root.type, detail));
    } else if (Object.entries(root).some(([key, value]) => isSet(value) && !atRootWithStatus.has(key))) {
      const detail = `only ${[...atRootWithStatus].join(' ')} fields are allowed at the root of the schema if the status subresource is enabled`;
      found.push(invalid(path, root, detail));
    }
  }
  if (root.nullable) found.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  const structural = structuralCauses(root, path);
  found.push(...(structural.length > 0 ? structural : defaultCauses(root, path)));
  found.push(...schemaCauses(root, path));
  return found.length > 0 ? found : compilationCauses(root, path);
}

const isSet = (value: unknown) =>
  value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0);

function simplePath(path: string, field: string, roots: readonly string[], where: string): FieldCause[] {
  if (!path.startsWith('.')) return [invalid(field, path, 'must be a simple json path starting with .')];
  return roots.some((root) => path.startsWith(root))
    ? []
    : [invalid(field, path, `should be a json path under ${where}`)];
}

function subresourceCauses({ subresources }: CustomResourceDefinitionVersion, at: string): FieldCause[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: selector } = scale;
  const specField = `${at}.scale.specReplicasPath`;
  const statusField = `${at}.scale.statusReplicasPath`;
  return [
    ...(spec ? simplePath(spec, specField, ['.spec.'], '.spec') : [required(specField)]),
    ...(status ? simplePath(status, statusField, ['.status.'], '.status') : [required(statusField)]),
    ...(selector
      ? simplePath(selector, `${at}.scale.labelSelectorPath`, ['.spec.', '.status.'], 'either .spec or .status')
      : []),
  ];
}

function columnCauses({ additionalPrinterColumns = [] }: CustomResourceDefinitionVersion, at: string): FieldCause[] {
  return additionalPrinterColumns.flatMap(({ name, type, format = '', jsonPath }, index) => {
    const path = `${at}[${index}]`;
    const typeDetail = `must be one of ${columnTypes.join(',')}`;
    return [
      ...(name ? [] : [required(`${path}.name`)]),
      ...(type ? [] : [required(`${path}.type`, typeDetail)]),
      ...(type && !columnTypes.includes(type) ? [invalid(`${path}.type`, type, typeDetail)] : []),
      ...(columnFormats.includes(format)
        ? []
        : [invalid(`${path}.format`, format, `must be one of ${columnFormats.slice(1).join(',')}`)]),
      ...(jsonPath ? simplePath(jsonPath, `${path}.JSONPath`, ['.'], '') : [required(`${path}.JSONPath`)]),
    ];
  });
}

function selectableCauses(
  { selectableFields = [], schema }: CustomResourceDefinitionVersion,
  at: string,
): FieldCause[] {
  const root = schema?.openAPIV3Schema ?? {};
  const seen = new Set<string>();
  const found = selectableFields.flatMap(({ jsonPath }, index): FieldCause[] => {
    const path = `${at}[${index}].jsonPath`;
    if (!jsonPath) return [required(path)];
    const target = schemaAt(root, jsonPath);
    const isMetadata = jsonPath.startsWith('.metadata.');
    if (!target && !isMetadata) {
      return [invalid(path, jsonPath, 'is an invalid path: does not refer to a valid field')];
    }
    const causes: FieldCause[] = [];
    if (isMetadata) causes.push(invalid(path, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(target?.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      causes.push(invalid(path, jsonPath, detail));
    }
    if (seen.has(jsonPath)) causes.push(duplicate(path, jsonPath));
    seen.add(jsonPath);
    return causes;
  });
  if (seen.size > selectableFieldsMax) found.push(tooMany(at, seen.size, selectableFieldsMax));
  return found;
}

function deprecationCauses({ deprecated, deprecationWarning: text }: CustomResourceDefinitionVersion, at: string) {
  if (text === undefined) return [];
  if (!deprecated) return [invalid(at, text, 'can only be set for deprecated versions')];
  const found: FieldCause[] = [];
  if (Buffer.byteLength(text) > 256) found.push(invalid(at, text, 'must be <= 256 characters long'));
  if (text === '') found.push(invalid(at, text, 'must not be an empty string'));
  const bad = /[\p{C}\u2028\u2029]/u.exec(text);
  if (bad) {
    const detail = `must only contain printable UTF-8 characters; non-printable character found at index ${bad.index}`;
    found.push(invalid(at, text, detail));
  }
  return found;
}

function approvalCauses(crd: CustomResourceDefinition): FieldCause[] {
  const condition = approvalCondition(crd);
  const { reason, message = '' } = condition ?? {};
  const at = 'metadata.annotations[api-approved.kubernetes.io]';
  if (reason === 'MissingAnnotation') return [required(at, message)];
  const value = crd.metadata.annotations?.['api-approved.kubernetes.io'];
  return reason === 'InvalidAnnotation' ? [invalid(at, value, message)] : [];
}

/** Formats that say nothing are only warned of, once. */
function formatWarnings(object: KubernetesObject, old: KubernetesObject | undefined): string[] {
  const formatsOf = (crd: KubernetesObject | undefined) =>
    (crd as unknown as CustomResourceDefinition | undefined)?.spec.versions.flatMap(({ schema }) =>
      unknownFormats(schema?.openAPIV3Schema),
    ) ?? [];
  const known = new Set(formatsOf(old));
  return formatsOf(object)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(schema: Schema | undefined): string[] {
  if (!schema) return [];
  const {
    format,
    type,
    properties = {},
    additionalProperties: values,
    allOf = [],
    anyOf = [],
    oneOf = [],
    not,
  } = schema;
  const below = [itemsOf(schema), not, ...allOf, ...anyOf, ...oneOf, ...Object.values(properties)];
  if (isPlain(values)) below.push(values as Schema);
  const own = format && !isKnownFormat(format, type) ? [format] : [];
  return [...own, ...below.flatMap((each) => unknownFormats(each))];
}
