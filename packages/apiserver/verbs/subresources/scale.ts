import { DecodeError, decodeValue, shapeOf, StatusError } from '@kubernode/api';
import type { Scale } from '@kubernode/api/autoscaling/v1';
import { deepClone } from '@kubernode/machinery';
import type { ResourceCall, ServerResponseOf, Verb } from '../../context.ts';
import { objectIn } from '../../encode/value.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { StoredObject } from '../../storage/stored-object.ts';
import { changeObject, objectModified } from '../change.ts';
import { existing } from '../get.ts';
import { mediaTypeOf, readObject, unsupportedMediaType } from '../input.ts';
import { ownFields } from '../managed-fields.ts';
import { managerOf, writeOptions, type WriteOptions } from '../options.ts';
import { readPatch, refusedPatch, type PatchType } from '../patch-types.ts';
import { formatOf, respondValue } from '../respond.ts';
import { pathsOf, scaleOf, setAt, valueAt } from './scale-view.ts';

const expected = { apiVersion: 'autoscaling/v1', kind: 'Scale', shape: shapeOf('autoscaling/v1.Scale') };

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

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
  const type = patchTypes[mediaTypeOf(call.request.headers['content-type'])];
  if (!type) throw unsupportedMediaType(Object.keys(patchTypes), {});
  const options = writeOptions(call.request.query, 'PatchOptions');
  const { apply } = readPatch(type, await call.request.body(), expected.shape, options.fieldValidation);
  return changeScale(call, options, (current) => {
    const patched = apply(scaleOf(call.resource, current) as unknown as ApiObject);
    return decodePatchedScale(patched);
  });
};

/** What is wrong with a patched Scale is the patch's fault. */
function decodePatchedScale(patched: unknown): Scale {
  try {
    return decodeValue<Scale>(patched, expected.shape).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw refusedPatch(error.message);
  }
}

async function changeScale(
  call: ResourceCall,
  options: WriteOptions,
  wanted: (current: ApiObject) => Scale,
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
    manage: (object, current) => {
      // Upstream's mapping of owners does not reach custom resources: nobody comes to own their replicas here.
      if (call.resource.custom) return;
      ownFields(call, object, current, managerOf(options, call.request.headers['user-agent']), 'scale');
      // Upstream loses the time on the way from the Scale to its parent.
      object.metadata.managedFields = object.metadata.managedFields?.map((entry) =>
        entry.subresource === 'scale' ? { ...entry, time: undefined } : entry,
      );
    },
  });
  const object = written instanceof StoredObject ? objectIn(written, call.resource) : written;
  return respondValue(call, scaleOf(call.resource, object), format);
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
