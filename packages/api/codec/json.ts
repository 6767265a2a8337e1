import type { ObjectShape, Shape } from '@kubernode/machinery';
import { readerOf } from './decode.ts';
import { writeJson } from './encode.ts';
import type { DecodeState } from './reader.ts';
import { nestingMax, newState, readAny, tooDeep } from './reader.ts';
import { parseJson } from './parse-json.ts';
import { anyShape, hasDuplicateKeys, keysWritten, strictErrors, unknownFields } from './strict.ts';

export interface DecodeOptions {
  /** `fieldValidation` of the request: whether unknown and repeated fields are looked for. Default `Ignore`. */
  readonly validation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
}

export interface Decoded<T> {
  /**
   * In canonical form: fields in the order of the shape, zero values as Go prints them. It shares nothing with others but
   * frozen sets of owned fields.
   */
  readonly object: T;
  /** `unknown field "spec.foo"`, `duplicate field "spec.bar"`; always empty under `Ignore`. */
  readonly strictErrors: readonly string[];
}

/**
 * A JSON body → the object, exactly as upstream would print it back. Throws DecodeError with upstream's wording for text
 * that is no JSON and for values of the wrong type.
 */
export function decodeJson<T = unknown>(
  bytes: Uint8Array,
  shape: ObjectShape,
  options: DecodeOptions = {},
): Decoded<T> {
  const text = textOf(bytes);
  const value = parseJson(text);
  const state = newState(true);
  const object = read(value, shape, state) as T;
  if (options.validation !== 'Strict' && options.validation !== 'Warn') return { object, strictErrors: [] };
  const isSound = !state.hasUnknown && state.keys === keysWritten(text);
  return { object, strictErrors: isSound ? [] : bounded(() => strictErrors(text, shape)) };
}

/** Parts that the shape does not name are only visited here, however deep they are. */
function bounded<T>(visit: () => T): T {
  try {
    return visit();
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : error;
  }
}

/** The same for a value that is decoded already: of YAML, of a patch, or handed over in memory. It is not changed. */
export function decodeValue<T = unknown>(value: unknown, shape: ObjectShape, options: DecodeOptions = {}): Decoded<T> {
  const state = newState(false);
  const object = read(value, shape, state) as T;
  const isAsked = options.validation === 'Strict' || options.validation === 'Warn';
  return { object, strictErrors: isAsked && state.hasUnknown ? unknownFields(value, shape) : [] };
}

export interface FreeDecodeOptions extends DecodeOptions {
  /** Leaves numbers with a fraction as `parseJson` does, for whoever decodes what becomes of them. Default: false. */
  readonly keepsFractions?: boolean;
}

/** JSON of no particular shape: a patch. `strictErrors` are its repeated keys. Throws DecodeError. */
export function decodeFreeJson(bytes: Uint8Array, options: FreeDecodeOptions = {}): Decoded<unknown> {
  const text = textOf(bytes);
  const written = parseJson(text, nestingMax);
  const state = newState(true);
  const value = options.keepsFractions ? written : readAny(written, state);
  const isAsked = options.validation === 'Strict' || options.validation === 'Warn';
  return { object: value, strictErrors: isAsked && hasDuplicateKeys(text, value) ? strictErrors(text, anyShape) : [] };
}

/** The object's JSON, fields in the order of the shape, as Go's encoding/json would print it; no line break at the end. */
export function encodeJson(object: unknown, shape: Shape): Uint8Array {
  return Buffer.from(encodeJsonText(object, shape), 'utf8');
}

export function encodeJsonText(object: unknown, shape: Shape): string {
  return writeJson(object, shape);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function read(value: unknown, shape: ObjectShape, state: DecodeState): unknown {
  return readerOf(shape)(value ?? {}, state);
}
