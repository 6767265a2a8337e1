import type { FieldCause } from '@kubernode/api';
import { forbidden, invalid, notSupported, required } from './causes.ts';
import { listRules } from './list-rules.ts';
import { ruleCauses } from './rule-causes.ts';
import { isEmbedded, metaFields, type Schema } from './schema.ts';

const types: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

interface Where {
  readonly path: string;
  /** Why there may be no default here; undefined where there may. */
  readonly noDefault: string | undefined;
  readonly isRoot: boolean;
  readonly inMetadata: boolean;
}

/** What is wrong with the keywords of a CRD's schema, at every depth. `path`: where the schema is. */
export function schemaCauses(schema: Schema, path: string): FieldCause[] {
  return nodeCauses(schema, { path, noDefault: undefined, isRoot: true, inMetadata: false });
}

function nodeCauses(schema: Schema, where: Where): FieldCause[] {
  const { path } = where;
  const found = [...unsupported(schema, where), ...listRules(schema, path), ...ruleCauses(schema, path)];
  if (schema.uniqueItems) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    found.push(forbidden(`${path}.uniqueItems`, detail));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    found.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  return [...found, ...fieldCauses(schema, where), ...otherCauses(schema, where)];
}

const notAtAll = ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;

function unsupported(schema: Schema, { path, noDefault, inMetadata }: Where): FieldCause[] {
  const found: FieldCause[] = [];
  const { type, id } = schema;
  if (type && !types.includes(type)) found.push(notSupported(`${path}.type`, type, types));
  if (schema.default !== undefined && noDefault !== undefined) {
    found.push(forbidden(`${path}.default`, `must not be set ${noDefault}`));
  }
  if (id) found.push(forbidden(`${path}.id`, 'id is not supported'));
  for (const name of notAtAll) {
    const value = schema[name];
    const isThere =
      value !== undefined && (typeof value !== 'object' || name === 'dependencies' || Object.keys(value).length > 0);
    if (isThere) found.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  }
  if (type === 'null') {
    found.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    found.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (inMetadata && isEmbedded(schema)) {
    found.push(forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  }
  return found;
}

function fieldCauses(schema: Schema, where: Where): FieldCause[] {
  const { path, isRoot, inMetadata } = where;
  const { additionalProperties: values, properties = {} } = schema;
  const found: FieldCause[] = [];
  const below = { ...where, isRoot: false };
  if (values !== undefined && Object.keys(properties).length > 0 && values !== true) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    found.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (typeof values === 'object') {
    const noDefault = inMetadata ? 'inside additionalProperties applying to object metadata' : where.noDefault;
    found.push(...nodeCauses(values, { ...below, path: `${path}.additionalProperties`, noDefault }));
  }
  for (const [name, property] of Object.entries(properties)) {
    const isMeta = (isRoot || isEmbedded(schema)) && metaFields.has(name);
    found.push(
      ...nodeCauses(property, {
        path: `${path}.properties[${name}]`,
        isRoot: false,
        inMetadata: inMetadata || isMeta,
        noDefault: isMeta && isRoot ? `in top-level ${name}` : where.noDefault,
      }),
    );
  }
  return found;
}

function otherCauses(schema: Schema, where: Where): FieldCause[] {
  const { path } = where;
  const at = (step: string): Where => ({ ...where, isRoot: false, path: `${path}.${step}` });
  const found: FieldCause[] = schema.not ? nodeCauses(schema.not, at('not')) : [];
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    schema[name]?.forEach((each, index) => found.push(...nodeCauses(each, at(`${name}[${index}]`))));
  }
  for (const [name, each] of Object.entries(schema.definitions ?? {})) {
    found.push(...nodeCauses(each, at(`definitions[${name}]`)));
  }
  const { items } = schema;
  if (Array.isArray(items)) items.forEach((each, index) => found.push(...nodeCauses(each, at(`items[${index}]`))));
  else if (items) found.push(...nodeCauses(items, at('items')));
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return found;
  if (schema.type !== 'object') {
    const detail = 'must be object if x-kubernetes-map-type is specified';
    found.push(schema.type ? invalid(`${path}.type`, schema.type, detail) : required(`${path}.type`, detail));
  }
  if (mapType !== 'atomic' && mapType !== 'granular') {
    found.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  }
  return found;
}
