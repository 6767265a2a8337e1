import { DecodeError, decodeFreeJson, StatusError } from '@kubernode/api';
import {
  jsonPatch,
  mergePatch,
  PatchError,
  PatchFormatError,
  strategicMergePatch,
  type JsonPatchOperation,
  type ObjectShape,
} from '@kubernode/machinery';
import type { ServedResource } from '../../registry.ts';
import type { RequestBody } from '../../request.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import type { WriteOptions } from '../options/options.ts';
import { repeated } from './validate.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

/** Upstream's bound on the operations of one JSON patch. */
const operationsMax = 10_000;

/** A patch that was read. */
export interface Patch {
  readonly type: PatchType;
  /** The current object, patched; it is not changed itself. Throws BadRequest, Invalid. */
  readonly apply: (current: ApiObject) => unknown;
  /** What strict validation objects to in the patch itself: keys that are written twice. */
  readonly strictErrors: readonly string[];
}

/** Reads a patch. Throws BadRequest, RequestEntityTooLarge. */
export function readPatch(
  type: PatchType,
  body: RequestBody,
  shape: ObjectShape,
  validation: WriteOptions['fieldValidation'],
): Patch {
  const { object: document, strictErrors } = parsePatch(type, body, validation);
  if (type === 'json') {
    const { operations, unknown } = jsonOperations(document);
    return {
      type,
      strictErrors: validation === 'Ignore' ? [] : [...unknown, ...strictErrors].map((text) => `json patch ${text}`),
      apply: (current) => attempt(() => jsonPatch(current, operations)),
    };
  }
  if (type === 'strategic' && document === null) return { type, strictErrors, apply: (current) => current };
  if (!isPlain(document))
    throw StatusError.badRequest('error decoding patch: json: cannot unmarshal: expected an object');
  if (type === 'merge') return { type, strictErrors, apply: (current) => mergePatch(current, document) };
  return { type, strictErrors, apply: (current) => attempt(() => strategicMergePatch(current, document, shape)) };
}

interface Operations {
  readonly operations: readonly JsonPatchOperation[];
  /** Fields that an operation does not have. */
  readonly unknown: readonly string[];
}

const textFields = ['op', 'path', 'from'] as const;
const operationFields: ReadonlySet<string> = new Set([...textFields, 'value']);

function jsonOperations(document: unknown): Operations {
  if (document === null) return { operations: [], unknown: [] };
  if (!Array.isArray(document)) throw mismatch(document, 'value of type []handlers.jsonPatchOp');
  if (document.length > operationsMax) {
    const message = `The allowed maximum operations in a JSON patch is ${operationsMax}, got ${document.length}`;
    throw StatusError.of('RequestEntityTooLarge', message);
  }
  const unknown: string[] = [];
  const operations = document.map((item: unknown, index) => {
    if (item === null) return {};
    if (!isPlain(item)) throw mismatch(item, 'value of type handlers.jsonPatchOp');
    for (const field of textFields) {
      const value = item[field] ?? '';
      if (typeof value !== 'string') throw mismatch(value, `struct field jsonPatchOp.${field} of type string`);
    }
    for (const field of Object.keys(item)) {
      if (!operationFields.has(field)) unknown.push(`unknown field ${JSON.stringify(`[${index}].${field}`)}`);
    }
    return item;
  });
  return { operations: operations as unknown as readonly JsonPatchOperation[], unknown };
}

const namesOfTypes: Readonly<Record<string, string>> = { boolean: 'bool', bigint: 'number', symbol: 'number' };

function mismatch(value: unknown, what: string): StatusError {
  const found = Array.isArray(value) ? 'array' : (namesOfTypes[typeof value] ?? typeof value);
  return StatusError.badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go ${what}`);
}

function attempt<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatchFormatError) throw StatusError.badRequest(error.message);
    if (error instanceof PatchError) {
      throw StatusError.of(
        'Invalid',
        `the server rejected our request due to an error in our request: ${error.message}`,
        {},
      );
    }
    throw error;
  }
}

/** The document of a patch. Throws BadRequest. */
function parsePatch(type: PatchType, body: RequestBody, validation: WriteOptions['fieldValidation']) {
  if ('value' in body) return { object: body.value, strictErrors: [] };
  try {
    // A strategic patch is of Go values: 1.0 is an integer there, but not in the text that other patches make.
    return decodeFreeJson(body.bytes, { validation, keepsFractions: type !== 'strategic' });
  } catch (error) {
    if (error instanceof DecodeError) throw StatusError.badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a patch made is not an object of the kind: the patch's fault. */
export function refusedPatch(why: string): StatusError {
  const message = `Invalid value: "<patch>": ${why}`;
  return StatusError.of('Invalid', ` "" is invalid: patch: ${message}`, {
    causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
  });
}

/** A patch is of one object, whatever came in its place meanwhile. Throws Invalid. */
export function checkUid(resource: ServedResource, { metadata }: ApiObject, current: ApiObject): void {
  if (!metadata.uid || metadata.uid === current.metadata.uid) return;
  const message = `Invalid value: ${JSON.stringify(metadata.uid)}: field is immutable`;
  throw StatusError.invalid(resource, metadata.name ?? '', [
    ...repeated(resource, [{ reason: 'FieldValueInvalid', message, field: 'metadata.uid' }]),
  ]);
}
