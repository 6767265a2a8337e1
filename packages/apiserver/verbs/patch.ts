import { table } from '@kubernode/machinery';
import { DecodeError, decodeValue, StatusError, type FieldCause } from '@kubernode/api';
import type { ResourceCall, ServerResponseOf } from '../context.ts';
import type { ServedResource } from '../registry.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { applyPatch } from './apply.ts';
import { changeObject } from './writes/change.ts';
import { prunedFields, unsupportedPatchType } from './writes/input.ts';
import { ownFields } from './writes/managed-fields.ts';
import { managerOf, writeOptions, type WriteOptions } from './options/options.ts';
import { checkUid, readPatch, refusedPatch, type Patch, type PatchType } from './writes/patch-types.ts';
import { formatOf, respondWritten } from './respond.ts';

const patchTypes: Readonly<Record<string, PatchType | 'apply'>> = table({
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
});

/** Strategic merge needs Go types, which custom resources do not have. */
const { 'application/strategic-merge-patch+json': _strategic, ...forCustom } = patchTypes;
const customPatchTypes = table(forCustom);

/** Served with the feature gate CBORServingAndStorage. */
const cborPatchTypes: typeof patchTypes = { 'application/apply-patch+cbor': 'apply' };

const cborTypes = table({ ...patchTypes, ...cborPatchTypes });
const customCborTypes = table({ ...customPatchTypes, ...cborPatchTypes });

function typesFor({ resource, server }: ResourceCall): typeof patchTypes {
  if (server.servesCbor) return resource.custom ? customCborTypes : cborTypes;
  return resource.custom ? customPatchTypes : patchTypes;
}

/** Without its parameters; unlike other media types, as it is written. */
const patchTypeOf = (contentType = '') => contentType.split(';')[0]!.trim();

/** PATCH of an object. */
export const patch = (call: ResourceCall): ServerResponseOf => patchSubresource(call, '');

/** PATCH of an object, or of a subresource that is seen as the object itself. */
export async function patchSubresource(call: ResourceCall, subresource: string): ServerResponseOf {
  const { resource, request } = call;
  const types = typesFor(call);
  const type = types[patchTypeOf(request.headers['content-type'])];
  if (!type) throw unsupportedPatchType(call, Object.keys(types));
  const format = formatOf(call);
  const options = writeOptions(request.query, 'PatchOptions');
  if (type !== 'apply' && request.query.has('force')) {
    const message = 'Forbidden: may not be specified for non-apply patch';
    throw StatusError.invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
      { reason: 'FieldValueForbidden', message, field: 'force' },
    ]);
  }
  if (type === 'apply') return applyPatch(call, { subresource, options, format });
  const body = await request.body();
  call.audit?.requestPatch(body);
  const read = readPatch(type, body, resource.shape, options.fieldValidation);
  const written = await changeObject(call, {
    subresource,
    options,
    make: (current) => decodePatched(call, read, options, current),
    manage: (changed, current) => {
      const manager = managerOf(options, request.headers['user-agent']);
      ownFields(call, changed, current, manager, subresource);
    },
  });
  return respondWritten(call, written, format);
}

/** A patched object is checked like a body, but what is wrong with it is the patch's fault: 422. */
function decodePatched(call: ResourceCall, patch: Patch, options: WriteOptions, current: ApiObject): ApiObject {
  const { resource } = call;
  const { object, strictErrors: found } = decodeOrRefuse(call, patch.apply(current), options);
  // A Go struct is patched: it knows itself what it is.
  if (patch.type === 'strategic') Object.assign(object, { apiVersion: resource.apiVersion, kind: resource.kind });
  const strictErrors = [...patch.strictErrors, ...found, ...prunedOrRefuse(call, object, options)];
  checkPatched(call, object, current);
  if (strictErrors.length > 0) {
    if (options.fieldValidation === 'Strict') throw refusedPatch(`strict decoding error: ${strictErrors.join(', ')}`);
    for (const text of strictErrors) if (!call.warnings.includes(text)) call.warnings.push(text);
  }
  object.apiVersion = resource.apiVersion;
  object.kind = resource.kind;
  return object;
}

function decodeOrRefuse({ resource }: ResourceCall, patched: unknown, { fieldValidation: validation }: WriteOptions) {
  return orRefuse(() => decodeValue<ApiObject>(patched, resource.shape, { validation }));
}

function prunedOrRefuse({ resource }: ResourceCall, object: ApiObject, { fieldValidation }: WriteOptions): string[] {
  return orRefuse(() => prunedFields(resource, object, fieldValidation));
}

function orRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw refusedPatch(error.message);
    throw error;
  }
}

function checkPatched({ resource, route }: ResourceCall, object: ApiObject, current: ApiObject): void {
  const { kind, apiVersion, metadata } = object;
  if ((kind && kind !== resource.kind) || (apiVersion && apiVersion !== resource.apiVersion)) {
    if (resource.custom) throw wrongType(resource, object);
    const message = `Invalid value: "<patch>": kind and apiVersion cannot change: expected ${resource.apiVersion}, Kind=${resource.kind}`;
    throw StatusError.of('Invalid', ` "" is invalid: patch: ${message}`, {
      causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
    });
  }
  if (metadata.name !== current.metadata.name) {
    throw StatusError.badRequest(
      `the name of the object (${metadata.name ?? ''}) does not match the name on the URL (${route.attributes.name})`,
    );
  }
  if (!metadata.namespace && current.metadata.namespace) metadata.namespace = current.metadata.namespace;
  if ((metadata.namespace ?? '') !== (current.metadata.namespace ?? '')) {
    const { namespace } = route.attributes;
    throw StatusError.badRequest(
      `the namespace of the object (${metadata.namespace ?? ''}) does not match the namespace on the URL (${namespace})`,
    );
  }
  checkUid(resource, object, current);
}

/** Custom objects have no Go type that a patch could miss: what is wrong is the object that it makes. */
function wrongType(resource: ServedResource, { kind = '', apiVersion = '', metadata }: ApiObject): StatusError {
  const causes: FieldCause[] = [];
  const mustBe = (field: string, value: string, wanted: string) => {
    if (value === wanted) return;
    causes.push({
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(value)}: must be ${wanted}`,
      field,
    });
  };
  mustBe('kind', kind, resource.kind);
  mustBe('apiVersion', apiVersion, resource.apiVersion);
  const slash = apiVersion.indexOf('/');
  return StatusError.invalid({ group: apiVersion.slice(0, Math.max(0, slash)), kind }, metadata.name, causes);
}
