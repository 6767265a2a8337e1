import { findShape, shapeOf } from '../shapes.ts';
import { downgraded, published, typeMeta } from './custom-schema.ts';
import type { About } from './group-versions.ts';
import { customDefinitionName } from './names.ts';
import type { GroupVersionKind, OpenApiResource, Operation } from './operations.ts';
import { versionInfo } from './root-operations.ts';
import type { Dialect, Schema } from './schemas.ts';
import { Schemas } from './schemas.ts';
import { listMetadataText, objectMetadataText } from './texts.ts';

/** The definitions of a document, and what its operations take and answer. */
export interface Definitions {
  readonly schemas: Schemas;
  body(operation: Operation): Schema;
  answer(operation: Operation): Schema;
}

const patchName = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';
const versionInfoName = 'io.k8s.apimachinery.pkg.version.Info';

export function definitionsFor(dialect: Dialect, resources: readonly OpenApiResource[], about: About): Definitions {
  const schemas = new Schemas(dialect, about);
  const custom = new Map(resources.filter(({ schema }) => schema).map((resource) => [keyOf(resource.kind), resource]));
  const ofName = (typeName: string) => schemas.ofType(shapeOf(typeName));
  const ofKind = (gvk: GroupVersionKind, isList = false): Schema => {
    const { group, version, kind } = gvk;
    const own = custom.get(keyOf(gvk));
    if (own) return schemas.reference(customDefinitionName(group, version, isList ? listKindOf(own) : kind));
    const shape = findShape(group ? `${group}/${version}` : version, isList ? `${kind}List` : kind);
    return shape ? schemas.ofType(shape) : { type: 'object' };
  };
  for (const resource of custom.values()) addCustom(schemas, resource, ofName);
  return {
    schemas,
    body({ body, gvk, bodyKind }) {
      if (body === 'deleteOptions') return ofName('meta.k8s.io/v1.DeleteOptions');
      return body === 'patch' ? schemas.add(patchName, { type: 'object' }) : ofKind(bodyKind ?? gvk!);
    },
    answer({ answer, gvk, bodyKind }) {
      if (answer === 'text') return { type: 'string' };
      if (answer === 'status') return ofName('meta.k8s.io/v1.Status');
      if (answer === 'event') return ofName('meta.k8s.io/v1.WatchEvent');
      if (typeof answer === 'string') return ofKind(bodyKind ?? gvk!, answer === 'list');
      return answer.type === versionInfo ? schemas.add(versionInfoName, versionSchema(dialect)) : ofName(answer.type);
    },
  };
}

const listKindOf = ({ kind, listKind }: OpenApiResource) => listKind || `${kind.kind}List`;

/** A custom resource and its list, with the metadata that every object has. */
function addCustom(schemas: Schemas, resource: OpenApiResource, ofName: (name: string) => Schema): void {
  const { kind: gvk, schema = {}, selectableFields } = resource;
  const { group, version, kind } = gvk;
  const isVersion2 = schemas.dialect.version === 2;
  // In v3 what stands beside a `$ref` is ignored, so upstream wraps those of fields.
  const ofField = (named: Schema, description: string) =>
    isVersion2 ? { description, ...named } : { description, allOf: [named] };
  const metadata = ofField(ofName('meta.k8s.io/v1.ObjectMeta'), objectMetadataText);
  const own = isVersion2 ? downgraded(schema, metadata) : published(schema, metadata);
  const isOpen = Object.keys(schema).length === 0 || (isVersion2 && keepsUnknown(schema));
  const extensions = (kindName: string) => ({
    'x-kubernetes-group-version-kind': [{ group, version, kind: kindName }],
    ...(selectableFields?.length
      ? { 'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })) }
      : {}),
  });
  const item = schemas.add(customDefinitionName(group, version, kind), {
    ...(isOpen
      ? { type: 'object' }
      : { ...own, properties: { ...(own['properties'] as Schema | undefined), ...typeMeta, metadata } }),
    ...extensions(kind),
  });
  schemas.add(customDefinitionName(group, version, listKindOf(resource)), {
    type: 'object',
    required: ['items'],
    properties: {
      ...typeMeta,
      items: { type: 'array', items: item },
      metadata: ofField(ofName('meta.k8s.io/v1.ListMeta'), listMetadataText),
    },
    ...extensions(listKindOf(resource)),
  });
}

const keepsUnknown = (schema: Schema) => schema['x-kubernetes-preserve-unknown-fields'] === true;

/** Of the answer of `/version`; the first nine fields are always there. */
function versionSchema({ version }: Dialect): Schema {
  const required = 'major minor gitVersion gitCommit gitTreeState buildDate goVersion compiler platform'.split(' ');
  const more = ['emulationMajor', 'emulationMinor', 'minCompatibilityMajor', 'minCompatibilityMinor'];
  const always = version === 3 ? { default: '', type: 'string' } : { type: 'string' };
  return {
    type: 'object',
    required,
    properties: Object.fromEntries([
      ...required.map((name) => [name, always]),
      ...more.map((name) => [name, { type: 'string' }]),
    ]),
  };
}

const keyOf = ({ group, version, kind }: GroupVersionKind) => `${group}/${version}/${kind}`;
