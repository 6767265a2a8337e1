import { StatusError } from '@kubernode/api';
import {
  jsonPatch,
  mergePatch,
  PatchError,
  PatchFormatError,
  strategicMergePatch,
  type JsonPatchOperation,
  type ObjectShape,
} from '@kubernode/machinery';
import type { ServedResource } from '../registry.ts';
import type { RequestBody } from '../request.ts';
import type { ApiObject } from '../storage/encoding.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

/** Upstream's bound on the operations of one JSON patch. */
const operationsMax = 10_000;

/** A patch as a function of the current object, which it does not change. Throws BadRequest, Invalid. */
export function patchedBy(type: PatchType, body: RequestBody, shape: ObjectShape): (current: ApiObject) => unknown {
  const document = parsePatch(body);
  if (type === 'json') {
    const operations = jsonOperations(document);
    return (current) => attempt(() => jsonPatch(current, operations));
  }
  if (!isPlain(document))
    throw StatusError.badRequest('error decoding patch: json: cannot unmarshal: expected an object');
  if (type === 'merge') return (current) => mergePatch(current, document);
  return (current) => attempt(() => strategicMergePatch(current, document, shape));
}

function jsonOperations(document: unknown): readonly JsonPatchOperation[] {
  if (!Array.isArray(document)) {
    throw StatusError.badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  }
  if (document.length > operationsMax) {
    const message = `The allowed maximum operations in a JSON patch is ${operationsMax}, got ${document.length}`;
    throw StatusError.of('RequestEntityTooLarge', message);
  }
  if (!document.every(isPlain)) throw StatusError.badRequest('a JSON patch is a list of operations');
  return document as unknown as readonly JsonPatchOperation[];
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
function parsePatch(body: RequestBody): unknown {
  if ('value' in body) return body.value;
  try {
    return JSON.parse(body.bytes.toString('utf8')) as unknown;
  } catch (error) {
    throw StatusError.badRequest(`error decoding patch: ${(error as Error).message}`);
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
    { reason: 'FieldValueInvalid', message, field: 'metadata.uid' },
  ]);
}
