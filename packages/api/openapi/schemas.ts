import type { Field, ObjectShape, Shape } from '@kubernode/machinery';
import { specialFormOf } from '../codec/special-forms.ts';
import { hasTypeMeta } from '../shapes.ts';
import { everywhere, type About } from './group-versions.ts';
import { definitionName, scalarDefinitions } from './names.ts';
import { aliases, fieldExtensions, isBareReference, typeExtensions } from './particulars.ts';
import { fieldTexts } from './texts.ts';
import { groupVersionOf, lastName } from './words.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** What differs between the two versions of OpenAPI. */
export interface Dialect {
  readonly version: 2 | 3;
  /** `#/definitions/` or `#/components/schemas/` */
  readonly refPrefix: string;
}

export const dialect2: Dialect = { version: 2, refPrefix: '#/definitions/' };
export const dialect3: Dialect = { version: 3, refPrefix: '#/components/schemas/' };

/** Gathers the definitions that a document needs, each once, while others refer to them. */
export class Schemas {
  readonly dialect: Dialect;
  readonly #definitions = new Map<string, Schema>();
  readonly #about: About;

  constructor(dialect: Dialect, about: About) {
    this.dialect = dialect;
    this.#about = about;
  }

  /** By name, in the order of names. */
  sorted(): Record<string, Schema> {
    return Object.fromEntries([...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Adds a definition that is not of the facts; a reference to it. */
  add(name: string, schema: Schema): Schema {
    this.#definitions.set(name, schema);
    return this.reference(name);
  }

  reference(name: string): Schema {
    return { $ref: this.dialect.refPrefix + name };
  }

  /** A reference to a type of the facts, whose definition is made if it misses. */
  ofType(shape: ObjectShape, name = definitionName(shape.name)): Schema {
    if (!this.#definitions.has(name)) {
      this.#definitions.set(name, {});
      this.#definitions.set(name, this.#definition(shape));
    }
    return this.reference(name);
  }

  #everywhere(typeName: string): readonly Schema[] | undefined {
    const isOfAll = typeName === 'meta.k8s.io/v1.DeleteOptions' || typeName === 'meta.k8s.io/v1.WatchEvent';
    return isOfAll ? everywhere(lastName(typeName), this.#about) : undefined;
  }

  #definition(shape: ObjectShape): Schema {
    if (specialFormOf(shape.name)) return {};
    const required = shape.fields.filter(isRequired).map((field) => field.name);
    const kinds =
      this.#everywhere(shape.name) ?? (hasTypeMeta(shape.name) ? [groupVersionKindOf(shape.name)] : undefined);
    return {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      ...(shape.fields.length > 0
        ? {
            properties: Object.fromEntries(
              shape.fields.map((field) => [field.name, this.#property(field, shape.name)]),
            ),
          }
        : {}),
      ...(kinds ? { 'x-kubernetes-group-version-kind': kinds } : {}),
      ...(shape.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      ...typeExtensions[shape.name],
    };
  }

  #property(field: Field, owner: string): Schema {
    const { name, shape, patchStrategy, patchMergeKey, listTypeDeclared } = field;
    const extras = {
      ...this.#default(field),
      ...(field.enum ? { enum: field.enum } : {}),
      ...(listTypeDeclared ? listExtensions(shape) : {}),
      ...(shape.type === 'map' && shape.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      ...(patchMergeKey ? { 'x-kubernetes-patch-merge-key': patchMergeKey } : {}),
      ...(patchStrategy ? { 'x-kubernetes-patch-strategy': patchStrategy } : {}),
      ...fieldExtensions[`${owner}.${name}`],
      ...describedAs(fieldTexts[`${owner}.${name}`]),
    };
    const schema = this.#schema(shape, groupVersionOf(owner), field.itemEnum);
    return isBareReference(owner, name) && '$ref' in schema ? schema : this.#extended(schema, extras);
  }

  /** Version 2 has none: clients of it took them for what to send. */
  #default({ default: declared, shape, pointer, omitempty }: Field): Schema {
    if (this.dialect.version === 2) return {};
    const value = declared ?? (pointer ? undefined : zeroOf(shape, omitempty));
    return value === undefined ? {} : { default: value };
  }

  /** OpenAPI v3 ignores what stands beside a `$ref`, so it is wrapped there. */
  #extended(schema: Schema, extras: Schema): Schema {
    if ('$ref' in schema && this.dialect.version === 3) return { allOf: [schema], ...extras };
    return { ...schema, ...extras };
  }

  /** `within`: the group version of the type that it is used in. */
  #schema(shape: Shape, within: string, itemEnum?: readonly string[]): Schema {
    const ofItems = itemEnum ? { enum: itemEnum } : {};
    switch (shape.type) {
      case 'object':
        return this.ofType(shape, aliases[`${within} ${shape.name}`]);
      case 'list':
        return { type: 'array', items: { ...this.#schema(shape.items, within), ...ofItems } };
      case 'map':
        return { type: 'object', additionalProperties: { ...this.#schema(shape.values, within), ...ofItems } };
      case 'any':
        return {};
      case 'quantity':
      case 'intOrString':
      case 'time':
      case 'microtime':
      case 'duration':
      case 'rawExtension':
      case 'fieldsV1':
        return this.add(scalarDefinitions[shape.type], namedScalars[this.dialect.version][shape.type]);
      default:
        return plainScalars[shape.type];
    }
  }
}

const plainScalars = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int64' },
  uint64: { type: 'integer', format: 'int64' },
  float32: { type: 'number', format: 'float' },
  float64: { type: 'number', format: 'double' },
} as const;

const commonScalars = {
  time: { type: 'string', format: 'date-time' },
  microtime: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  rawExtension: { type: 'object' },
  fieldsV1: { type: 'object' },
};

const namedScalars = {
  2: {
    ...commonScalars,
    quantity: { type: 'string' },
    intOrString: { type: 'string', format: 'int-or-string' },
  },
  3: {
    ...commonScalars,
    quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    intOrString: { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
  },
};

const describedAs = (description: string | undefined) => (description ? { description } : {});

/** kube-openapi's rule: required unless `omitempty` or `+optional`. */
const isRequired = (field: Field) => field.required || (!field.omitempty && !field.mayBeAbsent);

/** Bytes are a list to upstream. */
function listExtensions(shape: Shape): Schema {
  const { listType, keys } = shape.type === 'list' ? shape : { listType: 'atomic', keys: [] };
  const mapKeys = listType === 'map' ? { 'x-kubernetes-list-map-keys': keys } : {};
  return { ...mapKeys, 'x-kubernetes-list-type': listType };
}

/** The default of a value that is always there; a struct's is {}, whatever `omitempty` says. */
function zeroOf(shape: Shape, omitempty: boolean): unknown {
  switch (shape.type) {
    case 'object':
      return specialFormOf(shape.name) ? undefined : {};
    case 'string':
      return omitempty ? undefined : '';
    case 'bool':
      return omitempty ? undefined : false;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float32':
    case 'float64':
      return omitempty ? undefined : 0;
    default:
      return undefined;
  }
}

/** `x-kubernetes-group-version-kind` of a type of the facts. */
function groupVersionKindOf(typeName: string): Schema {
  const [group = '', version = ''] = groupVersionOf(typeName).split('/');
  return { group: group === 'core' || group === 'meta.k8s.io' ? '' : group, version, kind: lastName(typeName) };
}
