/**
 * The shape of a JSON value: what the facts (or a CRD's schema) say of a type, in the form that decoding, pruning,
 * protobuf, strategic merge and server-side apply all read. Shapes are made once, shared and never changed.
 */
export type Shape = ScalarShape | ObjectShape | ListShape | MapShape | AnyShape;

export type ScalarType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64'
  /** base64 in JSON, raw on the protobuf wire. */
  | 'bytes'
  | 'quantity'
  /** A number or a string. */
  | 'intOrString'
  /** RFC 3339 in seconds. */
  | 'time'
  /** RFC 3339 with six digits of a second. */
  | 'microtime'
  /** Go's notation, "1m30s". */
  | 'duration';

export interface ScalarShape {
  readonly type: ScalarType;
}

/** A value of any form: an embedded object (`rawExtension`), managed fields' trie (`fieldsV1`) or free JSON (`any`). */
export interface AnyShape {
  readonly type: 'rawExtension' | 'fieldsV1' | 'any';
}

export interface ObjectShape {
  readonly type: 'object';
  /** The type's name in the facts: `core/v1.PodSpec`; '' for a CRD's anonymous object. */
  readonly name: string;
  /** In the order of declaration, which is also JSON's; inlined fields already in their place. */
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** Structs that JSON inlines here but protobuf writes as a message of their own (VolumeSource in Volume). */
  readonly embedded: readonly { readonly proto: number; readonly shape: ObjectShape }[];
  /** An atomic object is owned and replaced as a whole by server-side apply. */
  readonly atomic: boolean;
}

export interface ListShape {
  readonly type: 'list';
  readonly items: Shape;
  /** How server-side apply merges: `atomic` replaces all, `set` holds scalars, `map` has `keys`. */
  readonly listType: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  /** A named list of strings, which protobuf wraps in a message of its own (ExtraValue, Verbs). */
  readonly wrapped?: boolean;
}

export interface MapShape {
  readonly type: 'map';
  readonly values: Shape;
  readonly atomic: boolean;
}

export interface Field {
  readonly name: string;
  readonly shape: Shape;
  /** Protobuf number; 0 where the field has no protobuf form of its own (see `embedded`). */
  readonly proto: number;
  /** Absent and zero differ. */
  readonly pointer: boolean;
  /** JSON leaves the zero value out. */
  readonly omitempty: boolean;
  readonly required: boolean;
  /** Optional by its declaration, although JSON always has it; only OpenAPI tells the difference. */
  readonly mayBeAbsent?: boolean;
  /** How a list merges was declared, not assumed; only OpenAPI tells the difference. */
  readonly listTypeDeclared?: boolean;
  /** Closed set of values of a list's items; only OpenAPI names it. */
  readonly itemEnum?: readonly string[] | undefined;
  /** Closed set of values. */
  readonly enum: readonly string[] | undefined;
  readonly default: unknown;
  /** Strategic merge: `merge`, `replace`, `retainKeys` or `merge,retainKeys`; '' where nothing is said. */
  readonly patchStrategy: string;
  readonly patchMergeKey: string;
  readonly featureGates: readonly string[];
  readonly markers: readonly string[];
}
