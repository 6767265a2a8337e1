import { decodeCbor, decodeValue, DecodeError, decodeYaml, StatusError } from '@kubernode/api';
import {
  applyOverLastApplied,
  ApplyError,
  conflictMessage,
  deepClone,
  formatTime,
  type ApplyConflict,
} from '@kubernode/machinery';
import type { ResourceCall, ServerResponseOf } from '../context.ts';
import type { OutputFormat } from '../encode/negotiate.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { changeObject } from './writes/change.ts';
import { prepareNew } from './create.ts';
import { mediaTypeOf, prunedFields } from './writes/input.ts';
import type { WriteOptions } from './options/options.ts';
import { checkUid } from './writes/patch-types.ts';
import { respondWritten } from './respond.ts';
import { resetFieldsOf } from './strategies.ts';

export interface ApplyRequest {
  readonly subresource: string;
  readonly options: WriteOptions;
  readonly format: OutputFormat;
}

/** Server-side apply: creates or changes, tracking who owns which field. Throws Conflict with the fields of others. */
export async function applyPatch(call: ResourceCall, apply: ApplyRequest): ServerResponseOf {
  const { options, subresource, format } = apply;
  checkManager(options);
  const configuration = await readConfiguration(call, options);
  let code = 200;
  let managed: ApiObject['metadata']['managedFields'];
  const merge = (current: ApiObject | undefined): ApiObject => {
    code = current ? 200 : 201;
    if (current) checkUid(call.resource, configuration, current);
    const merged = mergeInto(call, apply, configuration, current);
    managed = merged.metadata.managedFields;
    return merged;
  };
  const manage = (object: ApiObject) => {
    if (managed) object.metadata.managedFields = managed;
    else delete object.metadata.managedFields;
  };
  const makeNew = async () => {
    checkCreates(call, subresource, configuration);
    const object = merge(undefined);
    object.metadata.resourceVersion = '';
    return { object, settle: await prepareNew(call, object, options, manage) };
  };
  const written = await changeObject(call, { subresource, options, make: merge, manage, makeNew });
  return respondWritten(call, written, format, code);
}

/** Throws Invalid: who applies must say who it is. */
export function checkManager({ fieldManager }: WriteOptions): void {
  if (fieldManager) return;
  const message = 'Required value: is required for apply patch';
  throw StatusError.invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
    { reason: 'FieldValueRequired', message, field: 'fieldManager' },
  ]);
}

function mergeInto(
  call: ResourceCall,
  { options, subresource }: ApplyRequest,
  configuration: ApiObject,
  current: ApiObject | undefined,
): ApiObject {
  const { resource, server, route } = call;
  try {
    const { object, conflicts } = applyOverLastApplied({
      live: current,
      applied: configuration,
      shape: resource.custom?.applyShape ?? resource.shape,
      manager: options.fieldManager,
      apiVersion: resource.apiVersion,
      nowTime: formatTime(server.clock.now()),
      force: options.force,
      subresource,
      resetFields: resetFieldsOf(resource, subresource),
    });
    if (conflicts.length > 0) throw applyConflict(conflicts);
    const { object: merged } = decodeValue<ApiObject>(object, resource.shape);
    merged.metadata.name ??= route.attributes.name;
    if (configuration.metadata.resourceVersion)
      merged.metadata.resourceVersion = configuration.metadata.resourceVersion;
    else merged.metadata.resourceVersion = current?.metadata.resourceVersion ?? '';
    return merged;
  } catch (error) {
    if (error instanceof ApplyError || error instanceof DecodeError) throw StatusError.badRequest(error.message);
    throw error;
  }
}

/** The body, which says nothing else than the path does; checked against the kind's shape. */
export async function readConfiguration(call: ResourceCall, options: WriteOptions): Promise<ApiObject> {
  const { resource, route } = call;
  const body = await call.request.body();
  call.audit?.requestPatch(body);
  const value =
    'value' in body
      ? deepClone(body.value)
      : isCbor(call)
        ? cborValue(body.bytes)
        : yamlValue(call, body.bytes, options);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw StatusError.badRequest('error decoding YAML: expected an object');
  }
  const configuration = value as ApiObject;
  const { apiVersion, kind } = configuration;
  if (!apiVersion || !kind)
    throw StatusError.badRequest("Object 'Kind' or 'apiVersion' is missing in the applied configuration");
  if (apiVersion !== resource.apiVersion || kind !== resource.kind) {
    throw StatusError.badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${apiVersion}, expected: ${resource.apiVersion}`,
    );
  }
  checkUnknown(call, configuration);
  const metadata = (configuration.metadata ??= {} as ApiObject['metadata']);
  if (metadata.managedFields) throw StatusError.badRequest('metadata.managedFields must be nil');
  if ((metadata.name ?? route.attributes.name) !== route.attributes.name) {
    throw StatusError.badRequest(
      `the name of the object (${metadata.name ?? ''}) does not match the name on the URL (${route.attributes.name})`,
    );
  }
  const namespace = resource.namespaced ? route.attributes.namespace : '';
  if ((metadata.namespace ?? namespace) !== namespace) {
    throw StatusError.badRequest(
      `the namespace of the object (${metadata.namespace}) does not match the namespace on the URL (${route.attributes.namespace})`,
    );
  }
  return configuration;
}

const isCbor = ({ request }: ResourceCall) =>
  mediaTypeOf(request.headers['content-type']) === 'application/apply-patch+cbor';

function cborValue(bytes: Buffer): unknown {
  try {
    return decodeCbor(bytes);
  } catch (error) {
    if (error instanceof DecodeError) throw StatusError.badRequest(`error decoding CBOR: ${error.message}`);
    throw error;
  }
}

/** Keys that are written twice are an error, or a warning, as the request's fieldValidation says. */
function yamlValue(call: ResourceCall, bytes: Buffer, { fieldValidation }: WriteOptions): unknown {
  try {
    const { value, strictErrors } = decodeYaml(bytes);
    if (fieldValidation === 'Warn') call.warnings.push(...strictErrors);
    if (fieldValidation !== 'Strict' || strictErrors.length === 0) return value;
    throw StatusError.badRequest(`error strict decoding YAML: ${strictErrors.join(', ')}`);
  } catch (error) {
    if (error instanceof DecodeError) throw StatusError.badRequest(`error decoding YAML: ${error.message}`);
    throw error;
  }
}

/** Fields that the kind does not have are an error of the applied configuration, whatever the validation asked for. */
function checkUnknown({ resource }: ResourceCall, configuration: ApiObject): void {
  try {
    const { strictErrors } = decodeValue(configuration, resource.shape, { validation: 'Strict' });
    const pruned = resource.custom ? prunedFields(resource, deepClone(configuration) as ApiObject, 'Strict') : [];
    const errors = [...strictErrors, ...pruned].map((text) =>
      text.replace(/^unknown field "(.*)"$/, '.$1: field not declared in schema'),
    );
    if (errors.length === 0) return;
    const what = errors.length === 1 ? errors[0]! : `errors:\n${errors.map((text) => `  ${text}`).join('\n')}`;
    throw StatusError.badRequest(
      `failed to create typed patch object (${resource.apiVersion}, Kind=${resource.kind}): ${what}`,
    );
  } catch (error) {
    if (error instanceof DecodeError) throw StatusError.badRequest(error.message);
    throw error;
  }
}

function checkCreates({ resource, route }: ResourceCall, subresource: string, { metadata }: ApiObject): void {
  if (subresource !== '') throw StatusError.notFound(resource, route.attributes.name);
  if (!metadata.name) throw StatusError.badRequest('name must be provided');
  if (metadata.uid) {
    throw StatusError.conflict(
      resource,
      route.attributes.name,
      `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`,
    );
  }
}

/** Somebody else owns what the configuration would change. */
export function applyConflict(conflicts: readonly ApplyConflict[]): StatusError {
  const causes = conflicts.map(({ message, field }) => ({ reason: 'FieldManagerConflict', message, field }));
  return StatusError.of('Conflict', conflictMessage(conflicts), { causes });
}
