import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  type CelField,
  type CelType,
} from './types.ts';

/** The part of an OpenAPI v3 schema that types of expressions come from: a structural schema of a CRD, for one. */
export interface CelSchema {
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly properties?: Readonly<Record<string, CelSchema>> | undefined;
  readonly additionalProperties?: CelSchema | boolean | undefined;
  readonly items?: CelSchema | undefined;
  readonly required?: readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly default?: unknown;
  readonly maxLength?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly 'x-kubernetes-int-or-string'?: boolean | undefined;
  readonly 'x-kubernetes-embedded-resource'?: boolean | undefined;
  readonly 'x-kubernetes-list-type'?: string | undefined;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
}

/** The largest request body; sizes that a schema leaves open are limited by it. */
const requestBytesMax = 3 * 1024 * 1024;

/** The type of the values of a schema, and how small they may be. */
export interface DeclaredSchema {
  readonly type: CelType;
  /** The fewest bytes of such a value in JSON. */
  readonly bytesMin: number;
}

/**
 * The type of the values of a schema, with the sizes it allows; undefined where expressions cannot read (a schema that
 * says nothing of its values). A resource's root has apiVersion, kind and metadata (name, generateName).
 * The rules are upstream's: apiserver, pkg/cel/common/schemas.go.
 */
export function schemaType(schema: CelSchema, isResourceRoot = false): CelType | undefined {
  return declare(schema, isResourceRoot)?.type;
}

/** As `schemaType`, with the size. */
export function declaredSchema(schema: CelSchema, isResourceRoot = false): DeclaredSchema | undefined {
  return declare(schema, isResourceRoot);
}

function declare(schema: CelSchema, isResourceRoot: boolean): DeclaredSchema | undefined {
  if (schema['x-kubernetes-int-or-string'] === true)
    return { type: { ...dynType, sizeMax: textMax(schema) }, bytesMin: 1 };
  switch (schema.type) {
    case 'array':
      return declareList(schema);
    case 'object':
      return declareObject(isResourceRoot ? withObjectMeta(schema) : schema);
    case 'string':
      return declareText(schema);
    case 'boolean':
      return { type: { ...boolType, sizeMax: 0 }, bytesMin: 4 };
    case 'number':
      return { type: { ...doubleType, sizeMax: 0 }, bytesMin: 1 };
    case 'integer':
      return { type: { ...intType, sizeMax: 0 }, bytesMin: 1 };
    default:
      return undefined;
  }
}

const isEmbedded = (schema: CelSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

function declareList(schema: CelSchema): DeclaredSchema | undefined {
  const items = schema.items && declare(schema.items, isEmbedded(schema.items));
  if (items === undefined) return undefined;
  const sizeMax = schema.maxItems ?? Math.floor((requestBytesMax - 2) / (items.bytesMin + 1));
  const type = { ...listType(items.type), sizeMax: Math.max(0, sizeMax) };
  const kind = schema['x-kubernetes-list-type'];
  if (kind === 'set') return { type: { ...type, listType: { kind: 'set' } } as CelType, bytesMin: 2 };
  const keys = schema['x-kubernetes-list-map-keys'];
  if (kind !== 'map' || keys === undefined) return { type, bytesMin: 2 };
  return { type: { ...type, listType: { kind: 'map', keys } } as CelType, bytesMin: 2 };
}

function declareObject(schema: CelSchema): DeclaredSchema | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const values = declare(additionalProperties, isEmbedded(additionalProperties));
    if (values === undefined) return undefined;
    const sizeMax = schema.maxProperties ?? Math.floor((requestBytesMax - 2) / (values.bytesMin + 6));
    // Upstream gives keys no length, so that they count as empty.
    const type = mapType({ ...stringType, sizeMax: 0 }, values.type);
    return { type: { ...type, sizeMax: Math.max(0, sizeMax) }, bytesMin: 2 };
  }
  const fields = new Map<string, CelField>();
  let bytesMin = 2;
  for (const [property, part] of Object.entries(schema.properties ?? {})) {
    const declared = declare(part, isEmbedded(part));
    if (declared === undefined) continue;
    const name = escapeProperty(property);
    if (name !== undefined) fields.set(name, { type: declared.type, property });
    const isRequired = schema.required?.includes(property) === true && part.default === undefined;
    if (isRequired) bytesMin += property.length + declared.bytesMin + 4;
  }
  return { type: { ...objectType('object', () => fields), sizeMax: 0 }, bytesMin };
}

const text: CelSchema = { type: 'string' };

function withObjectMeta(schema: CelSchema): CelSchema {
  const metadata: CelSchema = { type: 'object', properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } };
}

function declareText(schema: CelSchema): DeclaredSchema {
  switch (schema.format) {
    case 'byte': {
      const sizeMax = schema.maxLength === undefined ? requestBytesMax - 2 : Math.max(0, schema.maxLength);
      return { type: { ...bytesType, sizeMax }, bytesMin: 2 };
    }
    case 'duration':
      return { type: { ...durationType, sizeMax: 32 }, bytesMin: 3 };
    case 'date':
      return { type: { ...timestampType, sizeMax: 12 }, bytesMin: 12 };
    case 'date-time':
      return { type: { ...timestampType, sizeMax: 32 }, bytesMin: 21 };
    default:
      return { type: { ...stringType, sizeMax: textMax(schema) }, bytesMin: 2 };
  }
}

/** The most bytes of a text: four for each code point that the schema allows. */
function textMax(schema: CelSchema): number {
  if (schema.maxLength !== undefined) return Math.max(0, schema.maxLength) * 4;
  if (schema.enum === undefined || schema.enum.length === 0) return requestBytesMax - 2;
  return Math.max(...schema.enum.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)));
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The name of a property in expressions; undefined when it has none (apiserver, pkg/cel/escaping.go). */
export function escapeProperty(property: string): string | undefined {
  if (reserved.has(property)) return `__${property}__`;
  if (!/^[A-Za-z_./-][\w./-]*$/.test(property)) return undefined;
  return property.replace(/__|[./-]/g, (part) => escapes[part] ?? part);
}
