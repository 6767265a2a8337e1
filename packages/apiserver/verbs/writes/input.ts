import { DecodeError, decodeJson, decodeValue, StatusError } from '@kubernode/api';
import { formatTime, type ObjectShape } from '@kubernode/machinery';
import type { Call, ResourceCall } from '../../context.ts';
import { decodeCborBody, decodeProtobufBody, decodeYamlBody } from '../../encode/body.ts';
import type { CustomHandling } from '../../registry.ts';
import type { RequestBody } from '../../request.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { fillDefaults } from './object-rules.ts';
import type { WriteOptions } from '../options/options.ts';

/** What a body must be. */
export interface Expected {
  readonly apiVersion: string;
  readonly kind: string;
  readonly shape: ObjectShape;
  readonly custom?: CustomHandling | undefined;
}

/**
 * The body as an object of its own, in canonical form. Unknown fields are dropped, warned of, or refused, as the
 * request's fieldValidation says. Throws BadRequest, UnsupportedMediaType, RequestEntityTooLarge.
 */
export async function readObject(call: Call, expected: Expected, options: WriteOptions): Promise<ApiObject> {
  const read = call.request.body();
  const body = read instanceof Promise ? await read : read;
  const object = decodeObject(call, body, expected, options.fieldValidation);
  if (call.audit) writeDown(call as ResourceCall, object, expected);
  return object;
}

/** Audit events show the body with its defaults. */
function writeDown(call: ResourceCall, object: ApiObject, { shape, kind }: Expected): void {
  const now = formatTime(call.server.clock.now());
  call.audit?.requestObject(object, shape, (copy) => {
    if (kind === call.resource?.kind) fillDefaults(call.resource, copy, now);
  });
}

function decodeObject(
  call: Call,
  body: RequestBody,
  expected: Expected,
  validation: WriteOptions['fieldValidation'],
): ApiObject {
  const { object, strictErrors: found } = decodedAs(expected, () => decode(call, body, expected, validation));
  checkKind(object, expected);
  const strictErrors = [...found, ...decodedAs(expected, () => prunedFields(expected, object, validation))];
  if (strictErrors.length > 0) {
    if (validation === 'Strict') {
      const why = `strict decoding error: ${strictErrors.join(', ')}`;
      throw StatusError.badRequest(`${cannotBeHandled(expected)}: ${why}`);
    }
    call.warnings.push(...strictErrors);
  }
  object.apiVersion = expected.apiVersion;
  object.kind = expected.kind;
  return object;
}

/** Drops what a custom object's schema does not name; what that was counts as strict validation's errors. */
export function prunedFields(
  { custom }: Pick<Expected, 'custom'>,
  object: ApiObject,
  validation: WriteOptions['fieldValidation'],
): string[] {
  const unknown = custom?.prune(object) ?? [];
  return validation === 'Ignore' ? [] : unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
}

interface Decoded {
  readonly object: ApiObject;
  readonly strictErrors: readonly string[];
}

function decode(
  call: Call,
  body: RequestBody,
  expected: Expected,
  validation: WriteOptions['fieldValidation'],
): Decoded {
  if ('value' in body) {
    if (typeof body.value !== 'object' || body.value === null) throw missingBody(expected);
    return decodeValue<ApiObject>(body.value, expected.shape, { validation });
  }
  const mediaType = mediaTypeOf(call.request.headers['content-type']);
  switch (mediaType) {
    case '':
    case 'application/json':
      return decodeJson<ApiObject>(body.bytes, expected.shape, { validation });
    case 'application/yaml':
      return decodeYamlBody(body.bytes, expected.shape, validation);
    case 'application/cbor':
      if (!call.server.servesCbor) break;
      return decodeCborBody(body.bytes, expected.shape, validation);
    case 'application/vnd.kubernetes.protobuf':
      if (expected.custom) break;
      return { object: decodeProtobufBody(body.bytes, expected.shape), strictErrors: [] };
  }
  throw unsupportedMediaType(acceptedTypes(call, expected));
}

function acceptedTypes({ server }: Call, { custom }: Expected): string[] {
  const types = ['application/json', 'application/yaml'];
  if (!custom) types.push('application/vnd.kubernetes.protobuf');
  return server.servesCbor ? [...types, 'application/cbor'] : types;
}

/** Without its parameters, in lower case. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]!.trim().toLowerCase();
}

function unsupportedMediaType(accepted: readonly string[], details?: object): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return StatusError.of('UnsupportedMediaType', message, details);
}

/**
 * Of a patch whose type is none of `accepted`. Upstream's router refuses it before the handler does, but for custom
 * resources, whose one handler sees all.
 */
export function unsupportedPatchType({ resource }: ResourceCall, accepted: readonly string[]): StatusError {
  if (resource.custom) return unsupportedMediaType(accepted);
  return StatusError.of('UnsupportedMediaType', '415: Unsupported Media Type', {});
}

/** Runs a decoder; what it finds wrong becomes upstream's BadRequest. */
function decodedAs<T>(expected: Expected, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof DecodeError) throw StatusError.badRequest(`${cannotBeHandled(expected)}: ${error.message}`);
    throw error;
  }
}

/** Kind and apiVersion may be missing, never wrong. */
function checkKind(object: ApiObject, { apiVersion, kind, custom }: Expected): void {
  if (custom && (!object.kind || !object.apiVersion)) {
    throw StatusError.badRequest(`Object 'Kind' or 'apiVersion' is missing: expected ${apiVersion}, Kind=${kind}`);
  }
  if (custom && object.kind !== kind) {
    const message = `Invalid value: ${JSON.stringify(object.kind)}: must be ${kind}`;
    throw StatusError.invalid({ group: groupOf(apiVersion), kind: object.kind ?? '' }, object.metadata.name, [
      { reason: 'FieldValueInvalid', message, field: 'kind' },
    ]);
  }
  if (object.kind && object.kind !== kind) {
    throw StatusError.badRequest(
      `${object.kind} in version ${JSON.stringify(object.apiVersion ?? '')} cannot be handled as a ${kind}: ` +
        `no kind ${JSON.stringify(object.kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  }
  if (apiVersion && object.apiVersion && object.apiVersion !== apiVersion) {
    throw StatusError.badRequest(
      `the API version in the data (${object.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
}

const groupOf = (apiVersion: string) => apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));

function cannotBeHandled({ kind, apiVersion }: Expected): string {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}`;
}

function missingBody({ kind }: Expected): StatusError {
  return StatusError.badRequest(`the request has no body: expected a ${kind}`);
}
