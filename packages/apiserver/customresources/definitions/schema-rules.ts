import type { FieldCause } from '@kubernode/api';
import { forbidden, invalid, notSupported, required } from '../causes.ts';
import { listRules } from './list-rules.ts';
import { ruleCauses } from './rule-causes.ts';
import { compilationCauses } from './rule-compilation.ts';
import type { RuleScope } from './rule-scope.ts';
import { isEmbedded, isPlain, metaFields, type Schema } from '../schema.ts';

const types: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

interface Where {
  readonly path: string;
  /** Why there may be no default here; undefined where there may. */
  readonly noDefault: string | undefined;
  readonly isRoot: boolean;
  readonly inMetadata: boolean;
  /** The first place around this one whose parts are not found again after an update. */
  readonly uncorrelated: string | undefined;
  /** Where rules are compiled; undefined where they are not: in `allOf` and its like, or in a schema with other faults. */
  readonly scope: RuleScope | undefined;
}

/** Rules are compiled only where all else is well, at their place and below it. */
interface Found {
  readonly schema: FieldCause[];
  readonly rules: FieldCause[];
}

/**
 * What is wrong with the keywords of a CRD's schema and its rules, at every depth. `path`: where the schema is; rules are
 * compiled where a scope is given.
 */
export function schemaCauses(schema: Schema, path: string, scope?: RuleScope): FieldCause[] {
  const root = { path, noDefault: undefined, isRoot: true, inMetadata: false, uncorrelated: undefined, scope };
  const found = nodeCauses(schema, root);
  return [...found.schema, ...found.rules];
}

function nodeCauses(schema: Schema, where: Where): Found {
  const { path, scope } = where;
  const own = [...unsupported(schema, where), ...listRules(schema, path), ...ruleCauses(schema, path)];
  if (schema.uniqueItems) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    own.push(forbidden(`${path}.uniqueItems`, detail));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    own.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  own.push(...exclusiveCauses(schema, path), ...mapTypeCauses(schema, path));
  const below = [...fieldsBelow(schema, where), ...othersBelow(schema, where)];
  const found = {
    schema: [...own, ...below.flatMap((each) => each.schema)],
    rules: below.flatMap((each) => each.rules),
  };
  if (scope && found.schema.length === 0)
    found.rules.push(...compilationCauses(schema, path, scope, where.uncorrelated));
  return found;
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

function exclusiveCauses({ additionalProperties: values, properties = {} }: Schema, path: string): FieldCause[] {
  if (values === undefined || values === true || Object.keys(properties).length === 0) return [];
  return [forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')];
}

function fieldsBelow(schema: Schema, where: Where): Found[] {
  const { path, isRoot, inMetadata, scope } = where;
  const { additionalProperties: values, properties = {} } = schema;
  const found: Found[] = [];
  if (typeof values === 'object') {
    const noDefault = inMetadata ? 'inside additionalProperties applying to object metadata' : where.noDefault;
    const at = {
      ...where,
      isRoot: false,
      path: `${path}.additionalProperties`,
      noDefault,
      scope: scope?.below(values),
    };
    found.push(nodeCauses(values, at));
  }
  const mapType = schema['x-kubernetes-map-type'];
  const isCorrelated = mapType === undefined || mapTypes.includes(mapType);
  for (const [name, property] of Object.entries(properties)) {
    const isMeta = (isRoot || isEmbedded(schema)) && metaFields.has(name);
    const at = {
      path: `${path}.properties[${name}]`,
      isRoot: false,
      inMetadata: inMetadata || isMeta,
      noDefault: isMeta && isRoot ? `in top-level ${name}` : where.noDefault,
      uncorrelated: where.uncorrelated ?? (isCorrelated ? undefined : path),
      scope: scope?.below(property),
    };
    found.push(nodeCauses(property, at));
  }
  return found;
}

function othersBelow(schema: Schema, where: Where): Found[] {
  const { path, scope } = where;
  const at = (step: string): Where => ({ ...where, isRoot: false, path: `${path}.${step}`, scope: undefined });
  const found: Found[] = schema.not ? [nodeCauses(schema.not, at('not'))] : [];
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    schema[name]?.forEach((each, index) => found.push(nodeCauses(each, at(`${name}[${index}]`))));
  }
  for (const [name, each] of Object.entries(schema.definitions ?? {})) {
    found.push(nodeCauses(each, at(`definitions[${name}]`)));
  }
  for (const [name, each] of Object.entries(schema.dependencies ?? {})) {
    if (isPlain(each)) found.push(nodeCauses(each as Schema, at(`dependencies[${name}]`)));
  }
  const { items } = schema;
  if (!items) return found;
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  const inList = { uncorrelated: where.uncorrelated ?? (isMap ? undefined : path) };
  const list: readonly Schema[] = Array.isArray(items) ? items : [items];
  list.forEach((each, index) => {
    const step = Array.isArray(items) ? `items[${index}]` : 'items';
    found.push(nodeCauses(each, { ...at(step), ...inList, scope: scope?.below(each) }));
  });
  return found;
}

const mapTypes: readonly string[] = ['atomic', 'granular'];

function mapTypeCauses(schema: Schema, path: string): FieldCause[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const found: FieldCause[] = [];
  if (schema.type !== 'object') {
    const detail = 'must be object if x-kubernetes-map-type is specified';
    found.push(schema.type ? invalid(`${path}.type`, schema.type, detail) : required(`${path}.type`, detail));
  }
  if (!mapTypes.includes(mapType)) found.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, mapTypes));
  return found;
}
