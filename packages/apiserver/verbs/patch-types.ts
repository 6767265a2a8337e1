import { StatusError } from '@kubernode/api';
import type { ObjectShape } from '@kubernode/machinery';
import type { RequestBody } from '../request.ts';
import type { ApiObject } from '../storage/encoding.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

/** A patch as a function of the current object, which it does not change. Throws BadRequest, Invalid. */
export function patchedBy(type: PatchType, body: RequestBody, shape: ObjectShape): (current: ApiObject) => unknown {
  const document = parsePatch(body);
  void shape;
  switch (type) {
    case 'merge':
    case 'strategic':
      return (current) => merged(current, document);
    case 'json':
      throw StatusError.badRequest('JSON patches need machinery');
  }
}

function merged(target: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isObject ? { ...(target as Record<string, unknown>) } : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** The document of a patch. Throws BadRequest. */
export function parsePatch(body: RequestBody): unknown {
  if ('value' in body) return body.value;
  try {
    return JSON.parse(body.bytes.toString('utf8')) as unknown;
  } catch (error) {
    throw StatusError.badRequest(`error decoding patch: ${(error as Error).message}`);
  }
}
