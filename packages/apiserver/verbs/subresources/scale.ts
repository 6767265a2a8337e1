import { DecodeError, decodeValue, shapeOf, StatusError } from '@kubernode/api';
import type { Scale } from '@kubernode/api/autoscaling/v1';
import {
  applyConfiguration,
  deepClone,
  formatTime,
  ownersOfParent,
  ownersOfScale,
  type ManagedFieldsEntry,
  table,
} from '@kubernode/machinery';
import type { ResourceCall, ServerResponseOf, Verb } from '../../context.ts';
import { objectIn } from '../../encode/value.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { StoredObject } from '../../storage/stored-object.ts';
import { applyConflict, checkManager, readConfiguration } from '../apply.ts';
import { changeObject, objectModified } from '../writes/change.ts';
import { existing } from '../get.ts';
import { mediaTypeOf, readObject, unsupportedPatchType } from '../writes/input.ts';
import { ownFields } from '../writes/managed-fields.ts';
import { managerOf, writeOptions, type WriteOptions } from '../options/options.ts';
import { readPatch, refusedPatch, type PatchType } from '../writes/patch-types.ts';
import { formatOf, respondValue } from '../respond.ts';
import { pathsOf, scaleOf, setAt, valueAt } from './scale-view.ts';

const expected = { apiVersion: 'autoscaling/v1', kind: 'Scale', shape: shapeOf('autoscaling/v1.Scale') };

const patchTypes: Readonly<Record<string, PatchType>> = table({
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
});

/** Strategic merge needs Go types: a Scale has one, but the handler of custom resources does not look. */
const { 'application/strategic-merge-patch+json': _strategic, ...customPatchTypes } = patchTypes;

/** GET of `scale`: replicas and selector of whatever has them, in one shape. */
export const getScale: Verb = async (call) => {
  const format = formatOf(call);
  const object = objectIn(existing(call), call.resource);
  const { specReplicas } = pathsOf(call.resource);
  if (call.resource.custom && valueAt(object, specReplicas) === undefined) {
    const message = `the spec replicas field ".${specReplicas}" does not exist`;
    throw StatusError.of('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
  return respondValue(call, scaleOf(call.resource, object), format);
};

/** PUT on `scale`. */
export const updateScale: Verb = async (call) => {
  const options = writeOptions(call.request.query, 'UpdateOptions');
  const scale = (await readObject(call, expected, options)) as unknown as Scale;
  const { name } = call.route.attributes;
  if (scale.metadata.name && scale.metadata.name !== name) {
    throw StatusError.badRequest(
      `the name of the object (${scale.metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  return changeScale(call, options, () => scale);
};

/** PATCH on `scale`. */
export const patchScale: Verb = async (call) => {
  if (isApply(call)) return applyScale(call);
  const types = call.resource.custom ? customPatchTypes : patchTypes;
  const type = types[mediaTypeOf(call.request.headers['content-type'])];
  if (!type) throw unsupportedPatchType(call, Object.keys(types));
  const options = writeOptions(call.request.query, 'PatchOptions');
  const { apply, strictErrors } = readPatch(type, await call.request.body(), expected.shape, options.fieldValidation);
  return changeScale(call, options, (current) => {
    const patched = apply(scaleOf(call.resource, current) as unknown as ApiObject);
    return decodePatchedScale(call, patched, options, strictErrors);
  });
};

function isApply({ request, resource, server }: ResourceCall): boolean {
  const type = mediaTypeOf(request.headers['content-type']);
  const isCbor = type === 'application/apply-patch+cbor' && server.servesCbor;
  return !resource.custom && (isCbor || type === 'application/apply-patch+yaml');
}

/** Server-side apply of a Scale: whoever owns the parent's replicas owns those of its Scale. */
async function applyScale(call: ResourceCall): ServerResponseOf {
  const options = writeOptions(call.request.query, 'PatchOptions');
  checkManager(options);
  const { resource, server } = call;
  const configuration = await readConfiguration({ ...call, resource: { ...resource, ...expected } }, options);
  const replicasPath = pathsOf(resource).specReplicas;
  const ownersBefore = ({ metadata }: ApiObject) => ({ entries: metadata.managedFields ?? [], replicasPath });
  let owners: readonly ManagedFieldsEntry[] = [];
  const wanted = (current: ApiObject): Scale => {
    const scale = scaleOf(resource, current);
    const live = { ...scale, metadata: { ...scale.metadata, managedFields: ownersOfScale(ownersBefore(current)) } };
    const { object, conflicts } = applyConfiguration({
      live: live as unknown as ApiObject,
      applied: configuration,
      shape: expected.shape,
      manager: options.fieldManager,
      apiVersion: expected.apiVersion,
      nowTime: formatTime(server.clock.now()),
      force: options.force,
      subresource: 'scale',
    });
    if (conflicts.length > 0) throw applyConflict(conflicts);
    const applied = decodeValue<Scale>(object, expected.shape).object;
    owners = (applied.metadata.managedFields ?? []) as readonly ManagedFieldsEntry[];
    return applied;
  };
  return changeScale(call, options, wanted, (object, current) => {
    const entries = ownersOfParent(ownersBefore(current), owners, resource.apiVersion);
    object.metadata.managedFields = entries as typeof object.metadata.managedFields & {};
  });
}

/** What is wrong with a patched Scale is the patch's fault. */
function decodePatchedScale(
  call: ResourceCall,
  patched: unknown,
  { fieldValidation }: WriteOptions,
  patchErrors: readonly string[],
): Scale {
  try {
    const { object, strictErrors } = decodeValue<Scale>(patched, expected.shape, { validation: fieldValidation });
    const found = [...patchErrors, ...strictErrors];
    if (fieldValidation === 'Strict' && found.length > 0)
      throw refusedPatch(`strict decoding error: ${found.join(', ')}`);
    for (const text of found) if (!call.warnings.includes(text)) call.warnings.push(text);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw refusedPatch(error.message);
  }
}

async function changeScale(
  call: ResourceCall,
  options: WriteOptions,
  wanted: (current: ApiObject) => Scale,
  manage: (object: ApiObject, current: ApiObject) => void = (object, current) =>
    ownReplicas(call, options, object, current),
): ServerResponseOf {
  const format = formatOf(call);
  const { specReplicas } = pathsOf(call.resource);
  const written = await changeObject(call, {
    subresource: '',
    options,
    make: (current) => {
      const scale = wanted(current);
      checkScale(call, scale, current);
      const object = deepClone(current) as ApiObject;
      setAt(object, specReplicas, scale.spec.replicas ?? 0);
      return object;
    },
    manage,
  });
  const object = written instanceof StoredObject ? objectIn(written, call.resource) : written;
  return respondValue(call, scaleOf(call.resource, object), format);
}

function ownReplicas(call: ResourceCall, options: WriteOptions, object: ApiObject, current: ApiObject): void {
  // Upstream's mapping of owners does not reach custom resources: who owned their replicas does not any more.
  if (call.resource.custom) {
    const before = { entries: current.metadata.managedFields ?? [], replicasPath: pathsOf(call.resource).specReplicas };
    const entries = ownersOfParent(before, [], call.resource.apiVersion);
    object.metadata.managedFields = entries as typeof object.metadata.managedFields & {};
    return;
  }
  ownFields(call, object, current, managerOf(options, call.request.headers['user-agent']), 'scale');
  // Upstream loses the time on the way from the Scale to its parent.
  object.metadata.managedFields = object.metadata.managedFields?.map((entry) =>
    entry.subresource === 'scale' ? { ...entry, time: undefined } : entry,
  );
}

function checkScale({ route, resource }: ResourceCall, { metadata, spec }: Scale, current: ApiObject): void {
  const { name } = route.attributes;
  const { resourceVersion, uid } = metadata;
  if (resourceVersion && resourceVersion !== '0' && resourceVersion !== current.metadata.resourceVersion) {
    throw StatusError.conflict(resource, name, objectModified);
  }
  if (uid && uid !== current.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`;
    throw StatusError.conflict({ group: resource.group, plural: `${resource.plural}/scale` }, name, why);
  }
  const replicas = spec.replicas ?? 0;
  // Of a custom resource its own field is wrong.
  if (replicas >= 0 || resource.custom) return;
  const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
  throw StatusError.invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
    { reason: 'FieldValueInvalid', message, field: 'spec.replicas' },
  ]);
}
