import type { FieldCause } from '@kubernode/api';
import { deepEqual } from '@kubernode/machinery';
import { forbidden, invalid, required } from '../causes.ts';
import { compileNewPattern } from '../objects/pattern.ts';
import { isEmbedded, isIntOrString, itemsOf, preservesUnknown, valuesOf, type Schema } from '../schema.ts';

type Level = 'root' | 'item' | 'field';

const whyTyped: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/**
 * What keeps a schema from being structural (KEP-1979): every field has a type outside of `allOf` and its like, which
 * only say more of fields that are known.
 */
export function structuralCauses(schema: Schema, path: string): FieldCause[] {
  return [...nodeCauses(schema, path, 'root'), ...incomplete(schema, schema, path, path)];
}

function nodeCauses(schema: Schema, path: string, level: Level): FieldCause[] {
  const found: FieldCause[] = [];
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  if (schema.type === 'array' && !schema.items) found.push(required(`${path}.items`, 'must be specified'));
  if (items) found.push(...nodeCauses(items, `${path}.items`, 'item'));
  for (const [key, below] of Object.entries(schema.properties ?? {})) {
    found.push(...nodeCauses(below, `${path}.properties[${key}]`, 'field'));
  }
  if (schema.additionalProperties !== undefined && level === 'root') {
    found.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (values) found.push(...nodeCauses(values, `${path}.additionalProperties`, 'field'));
  found.push(
    ...extensionCauses(schema, path),
    ...valueCauses(schema, path, skipsOf(schema)),
    ...typeCauses(schema, path, level),
  );
  found.push(...metadataCauses(schema, path, level));
  return found;
}

function extensionCauses(schema: Schema, path: string): FieldCause[] {
  if (!isIntOrString(schema)) return [];
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  return [
    ...(preservesUnknown(schema) ? [invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, detail)] : []),
    ...(isEmbedded(schema) ? [invalid(`${path}.x-kubernetes-embedded-resource`, true, detail)] : []),
  ];
}

function typeCauses(schema: Schema, path: string, level: Level): FieldCause[] {
  const { type = '' } = schema;
  const found: FieldCause[] = [];
  if (isEmbedded(schema) && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    found.push(type ? invalid(`${path}.type`, type, detail) : required(`${path}.type`, detail));
  } else if (!type && !isIntOrString(schema) && !preservesUnknown(schema)) {
    found.push(required(`${path}.type`, whyTyped[level]));
  }
  if (isEmbedded(schema) && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    found.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (level === 'root' && type && type !== 'object') {
    found.push(invalid(`${path}.type`, type, 'must be object at the root'));
  }
  if (isEmbedded(schema) && !preservesUnknown(schema) && Object.keys(schema.properties ?? {}).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    found.push(required(`${path}.properties`, detail));
  }
  return found;
}

/** Of what every object has, a schema may only restrict names. */
function metadataCauses({ properties = {}, ...schema }: Schema, path: string, level: Level): FieldCause[] {
  if (level !== 'root' && !isEmbedded(schema)) return [];
  const found = ['kind', 'apiVersion'].flatMap((name) => {
    const type = properties[name]?.type;
    if (!properties[name] || type === 'string') return [];
    return [invalid(`${path}.properties[${name}].type`, type ?? '', 'must be string')];
  });
  const { metadata } = properties;
  if (!metadata) return found;
  const at = `${path}.properties[metadata]`;
  if (metadata.type !== 'object') found.push(invalid(`${at}.type`, metadata.type ?? '', 'must be object'));
  if (level !== 'root') return found;
  const { properties: fields = {}, type: _type, default: _default, ...rest } = metadata;
  const others = Object.keys(fields).filter((name) => name !== 'name' && name !== 'generateName');
  if (others.length > 0 || Object.values(rest).some((value) => value !== undefined)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    found.push(forbidden(at, detail));
  }
  return found;
}

const intOrString = [{ type: 'integer' }, { type: 'string' }];

/** Whose two forms of `anyOf` may name types: they are how an integer or a string is written. */
interface Skips {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

const skipsOf = (schema: Schema): Skips => ({
  anyOf: isIntOrStringForm(schema.anyOf),
  firstAllOf: isIntOrStringForm(schema.allOf?.[0]?.anyOf),
});

const isIntOrStringForm = (anyOf: Schema['anyOf']) => anyOf?.length === 2 && deepEqual(anyOf, intOrString);

/** The parts of a schema that only judge values: nothing new may be declared there. */
function valueCauses(schema: Schema, path: string, skips: Skips): FieldCause[] {
  const found: FieldCause[] = [];
  if (!skips.anyOf)
    schema.anyOf?.forEach((each, index) => found.push(...nestedCauses(each, `${path}.anyOf[${index}]`)));
  schema.allOf?.forEach((each, index) =>
    found.push(...nestedCauses(each, `${path}.allOf[${index}]`, skips.firstAllOf && index === 0)),
  );
  schema.oneOf?.forEach((each, index) => found.push(...nestedCauses(each, `${path}.oneOf[${index}]`)));
  if (schema.not) found.push(...nestedCauses(schema.not, `${path}.not`));
  if (schema.pattern) {
    const pattern = compileNewPattern(schema.pattern);
    if (pattern instanceof Error) {
      const detail = `must be a valid regular expression, but isn't: ${pattern.message}`;
      found.push(invalid(`${path}.pattern`, schema.pattern, detail));
    }
  }
  return found;
}

const emptyFields = ['title', 'description', 'type'] as const;
const falseFields = [
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
] as const;
const undefinedFields = ['default', 'x-kubernetes-list-type', 'x-kubernetes-map-type'] as const;
const emptyLists = ['x-kubernetes-list-map-keys', 'x-kubernetes-validations'] as const;

function nestedCauses(schema: Schema, path: string, skipsAnyOf = false): FieldCause[] {
  const found = valueCauses(schema, path, { anyOf: skipsAnyOf, firstAllOf: false });
  const items = itemsOf(schema);
  if (items) found.push(...nestedCauses(items, `${path}.items`));
  for (const [key, below] of Object.entries(schema.properties ?? {})) {
    found.push(...nestedCauses(below, `${path}.properties[${key}]`));
  }
  const must = (name: string, what: string) =>
    found.push(forbidden(`${path}.${name}`, `must be ${what} to be structural`));
  for (const name of emptyFields) if (schema[name]) must(name, 'empty');
  for (const name of falseFields) if (schema[name]) must(name, 'false');
  if (schema.additionalProperties) must('additionalProperties', 'undefined');
  for (const name of undefinedFields) if (schema[name] !== undefined && schema[name] !== null) must(name, 'undefined');
  for (const name of emptyLists) if (schema[name] && schema[name].length > 0) must(name, 'empty');
  if (schema.properties?.['metadata']) {
    found.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  }
  return found;
}

/** Fields that the whole schema judges in `allOf` and its like, but nowhere declares. */
function incomplete(judged: Schema, declared: Schema | undefined, path: string, judgedPath: string): FieldCause[] {
  if (!declared) return [required(path, `because it is defined in ${judgedPath}`)];
  const nested: [Schema, string][] = judged.not ? [[judged.not, `${judgedPath}.not`]] : [];
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    judged[name]?.forEach((each, index) => nested.push([each, `${judgedPath}.${name}[${index}]`]));
  }
  return nested.flatMap(([each, at]) => incompleteHere(each, declared, path, at));
}

function incompleteHere(judged: Schema, declared: Schema | undefined, path: string, at: string): FieldCause[] {
  if (!declared) return [required(path, `because it is defined in ${at}`)];
  const items = itemsOf(judged);
  const inItems = items ? incompleteHere(items, itemsOf(declared), `${path}.items`, `${at}.items`) : [];
  const inFields = Object.entries(judged.properties ?? {}).flatMap(([key, below]) =>
    incompleteHere(below, declared.properties?.[key], `${path}.properties[${key}]`, `${at}.properties[${key}]`),
  );
  return [...incomplete(judged, declared, path, at), ...inItems, ...inFields];
}
