/**
 * The types that CEL expressions have. Object types name their fields lazily, so that recursive schemas are finite.
 * Rules: the CEL specification, "Type system"; the wording of `formatType` is the one clients see in compile errors.
 */
export type CelType = (
  | { readonly kind: ScalarKind }
  | { readonly kind: 'list'; readonly element: CelType; readonly listType?: ListType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | CelObjectType
  | { readonly kind: 'opaque'; readonly name: string; readonly parameters: readonly CelType[] }
  | { readonly kind: 'type'; readonly of: CelType }
  | { readonly kind: 'parameter'; readonly name: string }
) & {
  /** The most elements or code points that a schema allows, for estimating costs. */
  readonly sizeMax?: number;
};

export interface CelObjectType {
  readonly kind: 'object';
  readonly name: string;
  readonly sizeMax?: number;
  fields(): ReadonlyMap<string, CelField>;
}

export type ScalarKind =
  | 'int'
  | 'uint'
  | 'double'
  | 'bool'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'dyn'
  | 'error';

/** How a list of an OpenAPI schema compares and adds: `x-kubernetes-list-type` set, or map with its keys. */
export type ListType = { readonly kind: 'set' } | { readonly kind: 'map'; readonly keys: readonly string[] };

/** A field of an object type; `property` is its name in the data when CEL's name had to be escaped. */
export interface CelField {
  readonly type: CelType;
  readonly property?: string;
}

const scalar = (kind: ScalarKind): CelType => ({ kind });
export const intType = scalar('int');
export const uintType = scalar('uint');
export const doubleType = scalar('double');
export const boolType = scalar('bool');
export const stringType = scalar('string');
export const bytesType = scalar('bytes');
export const nullType = scalar('null');
export const timestampType = scalar('timestamp');
export const durationType = scalar('duration');
export const dynType = scalar('dyn');
/** The type of an expression that already had an error: it fits everywhere, so that one mistake is told once. */
export const errorType = scalar('error');

export const listType = (element: CelType): CelType => ({ kind: 'list', element });
export const mapType = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });
export const opaqueType = (name: string, ...parameters: CelType[]): CelType => ({ kind: 'opaque', name, parameters });
export const optionalType = (value: CelType): CelType => opaqueType('optional_type', value);
/** A value that may be null: of protobuf's wrapper messages. */
export const wrapperType = (of: CelType): CelType => opaqueType('wrapper', of);
/** What a wrapper type wraps; undefined for all others. */
export const wrappedType = (type: CelType): CelType | undefined =>
  type.kind === 'opaque' && type.name === 'wrapper' ? type.parameters[0] : undefined;
export const typeType = (of: CelType): CelType => ({ kind: 'type', of });
export const parameterType = (name: string): CelType => ({ kind: 'parameter', name });
export const objectType = (name: string, fields: () => ReadonlyMap<string, CelField>): CelObjectType => ({
  kind: 'object',
  name,
  fields,
});

/** The types within a type, for walking it. */
export function typeArguments(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case 'list':
      return [type.element];
    case 'map':
      return [type.key, type.value];
    case 'opaque':
      return type.parameters;
    case 'type':
      return [type.of];
    default:
      return [];
  }
}

/** The same type with its arguments changed by `change`. */
export function mapTypeArguments(type: CelType, change: (argument: CelType) => CelType): CelType {
  switch (type.kind) {
    case 'list':
      return { ...type, element: change(type.element) };
    case 'map':
      return { kind: 'map', key: change(type.key), value: change(type.value) };
    case 'opaque':
      return type.parameters.length === 0 ? type : opaqueType(type.name, ...type.parameters.map(change));
    case 'type':
      return typeType(change(type.of));
    default:
      return type;
  }
}

/** The name of a type at run time, as `type(x)` has it. */
export function typeName(type: CelType): string {
  switch (type.kind) {
    case 'null':
      return 'null_type';
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'object':
    case 'opaque':
    case 'parameter':
      return type.name;
    default:
      return type.kind;
  }
}

/** A type as compile errors and type checks write it: `list(int)`, `map(string, dyn)`, `timestamp`. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'null':
      return 'null';
    case 'error':
      return '!error!';
    case 'type':
      return type.of.kind === 'parameter' ? 'type' : `type(${formatType(type.of)})`;
    case 'object':
    case 'parameter':
      return type.name;
    case 'list':
      return `list(${formatType(type.element)})`;
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case 'opaque':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(formatType).join(', ')})`;
    default:
      return type.kind;
  }
}
