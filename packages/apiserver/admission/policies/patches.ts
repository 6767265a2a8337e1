import {
  ApplyError,
  checkConfiguration,
  jsonPatch,
  mergeConfiguration,
  type JsonPatchOperation,
  type Shape,
} from '@kubernode/machinery';
import { CelError, structName, toJson, type CelValue } from '@kubernode/machinery/cel';
import { decodeValue, StatusError } from '@kubernode/api';
import type { ApiObject } from '../../storage/encoding.ts';
import type { ReviewedVersion } from '../matching/reviewed-request.ts';

/** A mutation that does not fit the object: the policy's failure policy decides. */
export class MutationError extends Error {}

type Json = Readonly<Record<string, unknown>>;

/**
 * The object with an `Object{…}` merged in, as server-side apply merges, but without owners (KEP-3962). Throws
 * MutationError.
 */
export function applyObject(value: CelValue, object: ApiObject, version: ReviewedVersion): Json {
  checkTypeNames(value);
  const { apiVersion, kind } = object;
  const configuration = { ...(jsonOf(value) as Json), apiVersion, kind };
  const shape = version.applyShape;
  const untyped = (why: string) =>
    new MutationError(`error applying patch: failed to convert patch object to typed object: ${why}`);
  try {
    checkConfiguration(configuration, shape);
  } catch (error) {
    throw error instanceof ApplyError ? untyped(error.message) : error;
  }
  const unknown = version.prune?.(structuredClone(configuration) as unknown as ApiObject) ?? [];
  if (unknown.length > 0) throw untyped(unknown.map((path) => `.${path}: field not declared in schema`).join('\n'));
  const atomics = atomicParts(configuration, shape, '');
  if (atomics.length > 0) {
    const which = `may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`;
    throw new MutationError(`error applying patch: invalid ApplyConfiguration: ${which}`);
  }
  return mergeConfiguration(object as Json, configuration, shape);
}

/** The object with `[JSONPatch{…}]` applied; the same one where a test fails. Throws MutationError, InternalError. */
export function patchObject(value: CelValue, object: ApiObject, version: ReviewedVersion): Json {
  const operations = (value as readonly CelValue[]).map(operationOf);
  let patched: unknown;
  try {
    patched = jsonPatch(object, operations);
  } catch (error) {
    const { message } = error as Error;
    if (/^testing value .* failed: test failed$/s.test(message)) return object as Json;
    throw new MutationError(`JSON Patch: ${message}`);
  }
  const { strictErrors } = decodeValue(patched, version.shape, { validation: 'Strict' });
  if (strictErrors.length === 0) return patched as Json;
  throw StatusError.from(new Error(`strict decoding error: ${strictErrors.join(', ')}`));
}

function operationOf(value: CelValue): JsonPatchOperation {
  const { op, path, from, value: held } = value as { readonly [field: string]: CelValue };
  if (held !== undefined && structName(held) !== undefined) checkTypeNames(held);
  return {
    op: (op as string | undefined) ?? '',
    path: (path as string | undefined) ?? '',
    ...(typeof from === 'string' && from !== '' && { from }),
    ...(held !== undefined && { value: jsonOf(held) }),
  };
}

function jsonOf(value: CelValue): unknown {
  try {
    return toJson(value);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    throw new MutationError(
      `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${error.message}`,
    );
  }
}

/** Objects are made under the names of their places: `Object{spec: Object.spec{…}}`. Throws MutationError. */
function checkTypeNames(value: CelValue): void {
  const wrong = mismatches(value, structName(value) ?? 'Object');
  if (wrong.length > 0) throw new MutationError(`type mismatch: ${wrong.join('\n')}`);
}

function mismatches(value: unknown, expected: string): string[] {
  if (Array.isArray(value)) return value.flatMap((element) => mismatches(element, expected));
  const name = structName(value);
  if (name === undefined) return [];
  const own =
    name === expected
      ? []
      : [`unexpected type name "${name}", expected "${expected}", which matches field name path from root Object type`];
  const fields = Object.entries(value as Json);
  return [...own, ...fields.flatMap(([field, held]) => mismatches(held, `${expected}.${field}`))];
}

/** Whatever of a value is owned as a whole: merging would drop what it does not name. */
function atomicParts(value: unknown, shape: Shape, path: string): string[] {
  if (Array.isArray(value)) {
    if (shape.type !== 'list') return [];
    const own = shape.listType === 'map' || shape.listType === 'set' ? [] : [path];
    return [...own, ...value.flatMap((item, index) => atomicParts(item, shape.items, `${path}[${index}]`))];
  }
  if (typeof value !== 'object' || value === null || (shape.type !== 'object' && shape.type !== 'map')) return [];
  const own = shape.atomic ? [path] : [];
  const below = Object.entries(value as Json).flatMap(([key, held]) => {
    const field = shape.type === 'object' ? shape.byName.get(key)?.shape : undefined;
    return field ? atomicParts(held, field, `${path}.${key}`) : [];
  });
  return [...own, ...below];
}
