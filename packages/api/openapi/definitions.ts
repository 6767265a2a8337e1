import { findShape, shapeOf } from '../shapes.ts';
import { customDefinitionName } from './names.ts';
import type { GroupVersionKind, OpenApiResource, Operation } from './operations.ts';
import type { Dialect, Schema } from './schemas.ts';
import { Schemas } from './schemas.ts';

/** The definitions of a document, and what its operations take and answer. */
export interface Definitions {
  readonly schemas: Schemas;
  ofName(typeName: string): Schema;
  body(operation: Operation): Schema;
  answer(operation: Operation): Schema;
}

const patchName = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';

export function definitionsFor(dialect: Dialect, resources: readonly OpenApiResource[]): Definitions {
  const schemas = new Schemas(dialect, kindsEverywhere(resources));
  const custom = new Set(resources.filter((r) => r.schema).map((r) => keyOf(r.kind)));
  const ofName = (typeName: string) => schemas.ofType(shapeOf(typeName));
  const ofKind = (gvk: GroupVersionKind, suffix = ''): Schema => {
    const { group, version, kind } = gvk;
    if (custom.has(keyOf(gvk))) return schemas.reference(customDefinitionName(group, version, kind + suffix));
    const shape = findShape(group ? `${group}/${version}` : version, kind + suffix);
    return shape ? schemas.ofType(shape) : { type: 'object' };
  };
  for (const resource of resources) if (resource.schema) addCustom(schemas, resource, resource.schema, ofName);
  return {
    schemas,
    ofName,
    body({ body, gvk }) {
      if (body === 'deleteOptions') return ofName('meta.k8s.io/v1.DeleteOptions');
      return body === 'patch' ? schemas.add(patchName, { type: 'object' }) : ofKind(gvk);
    },
    answer({ answer, gvk }) {
      if (answer === 'text') return { type: 'string' };
      if (answer === 'status') return ofName('meta.k8s.io/v1.Status');
      return ofKind(gvk, answer === 'list' ? 'List' : '');
    },
  };
}

/** A custom resource and its list, with the metadata that every object has. */
function addCustom(
  schemas: Schemas,
  { kind: gvk }: OpenApiResource,
  schema: Schema,
  ofName: (name: string) => Schema,
): void {
  const { group, version, kind } = gvk;
  // In v3 what stands beside a `$ref` is ignored, so upstream wraps those of fields.
  const ofField = (named: Schema) => (schemas.dialect.version === 3 ? { allOf: [named] } : named);
  const metadata = ofField(ofName('meta.k8s.io/v1.ObjectMeta'));
  const typeMeta = { apiVersion: { type: 'string' }, kind: { type: 'string' } };
  const own = schemas.dialect.version === 2 ? downgraded(schema) : schema;
  const name = customDefinitionName(group, version, kind);
  const item = schemas.add(name, {
    ...own,
    properties: { ...(own['properties'] as Schema | undefined), ...typeMeta, metadata },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  });
  schemas.add(`${name}List`, {
    type: 'object',
    required: ['items'],
    properties: {
      ...typeMeta,
      items: { type: 'array', items: item },
      metadata: ofField(ofName('meta.k8s.io/v1.ListMeta')),
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: `${kind}List` }],
  });
}

/** OpenAPI v2 has none of these. */
const version3Only = new Set(['oneOf', 'anyOf', 'not', 'nullable']);

function downgraded(schema: Schema): Schema {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    return typeof value === 'object' && value !== null ? downgraded(value as Schema) : value;
  };
  const kept = Object.entries(schema).filter(([key]) => !version3Only.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, convert(value)]));
}

/** Kinds that every group has, as far as clients look for them by the group of the object. */
function kindsEverywhere(resources: readonly OpenApiResource[]): Map<string, readonly Schema[]> {
  const groupVersions = new Map(resources.map(({ kind }) => [`${kind.group}/${kind.version}`, kind]));
  const own = [...groupVersions.values()].filter(({ group }) => group);
  return new Map(
    ['DeleteOptions', 'WatchEvent'].map((kind) => [
      `meta.k8s.io/v1.${kind}`,
      [{ group: '', version: 'v1', kind }, ...own.map(({ group, version }) => ({ group, version, kind }))],
    ]),
  );
}

const keyOf = ({ group, version, kind }: GroupVersionKind) => `${group}/${version}/${kind}`;
