import { StatusError } from '@kubernode/api';
import { deepClone } from '@kubernode/machinery';
import type { ResourceCall, ServerResponseOf } from '../context.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { changeObject } from './writes/change.ts';
import { prepareNew } from './create.ts';
import { readObject } from './writes/input.ts';
import { ownFields } from './writes/managed-fields.ts';
import { managerOf, writeOptions } from './options/options.ts';
import { formatOf, respondWritten } from './respond.ts';

/** PUT of an object. */
export const update = (call: ResourceCall): ServerResponseOf => updateSubresource(call, '');

/** PUT of an object, or of its status. */
export async function updateSubresource(call: ResourceCall, subresource: string): ServerResponseOf {
  const { resource } = call;
  const format = formatOf(call);
  const options = writeOptions(call.request.query, 'UpdateOptions');
  const object = await readObject(call, resource, options);
  checkNames(call, object);
  const canCreate = resource.definition.createOnUpdate === true && subresource === '';
  const hasVersion = Boolean(object.metadata.resourceVersion) && object.metadata.resourceVersion !== '0';
  let code = 200;
  const written = await changeObject(call, {
    subresource,
    options,
    make: (current) => {
      code = 200;
      const isMeant = !object.metadata.uid || object.metadata.uid === current.metadata.uid;
      const isUnconditional = !hasVersion && resource.definition.unconditionalUpdate === false;
      if (isMeant && isUnconditional) throw mustHaveVersion(call, current);
      return deepClone(object) as ApiObject;
    },
    manage: (changed, current) => {
      const manager = managerOf(options, call.request.headers['user-agent']);
      ownFields(call, changed, current, manager, subresource);
    },
    makeNew: canCreate
      ? async () => {
          code = 201;
          const made = deepClone(object) as ApiObject;
          made.metadata.resourceVersion = '';
          return { object: made, settle: await prepareNew(call, made, options) };
        }
      : undefined,
  });
  return respondWritten(call, written, format, code);
}

/** The body is about the object that the path names. Throws BadRequest. */
function checkNames({ route, resource }: ResourceCall, { metadata }: ApiObject): void {
  const { name, namespace } = route.attributes;
  if (!metadata.name) {
    throw StatusError.badRequest(
      `the name of the object (${metadata.name || '<none>'}) does not match the name on the URL (${name})`,
    );
  }
  if (metadata.name !== name) {
    throw StatusError.badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  if (!resource.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw StatusError.badRequest(
      `the namespace of the object (${metadata.namespace}) does not match the namespace on the request (${namespace})`,
    );
  }
  metadata.namespace = namespace;
}

function mustHaveVersion({ resource }: ResourceCall, { metadata }: ApiObject): StatusError {
  return StatusError.invalid({ group: resource.group, kind: resource.plural }, metadata.name, [
    {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 0: must be specified for an update',
      field: 'metadata.resourceVersion',
    },
  ]);
}
