import { StatusError } from '@kubernode/api';
import type { ResourceCall, Verb } from '../context.ts';
import { objectKey } from '../storage/keys.ts';
import { minimumRevision } from '../storage/revision.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { checkReadable } from '../storage/unreadable.ts';
import { formatOf, respondObject } from './respond.ts';

/** GET of one object: always as of now, which is never older than the resourceVersion that is asked for. */
export const get: Verb = (call) => {
  const format = formatOf(call);
  const wanted = call.request.query.get('resourceVersion');
  if (wanted === null) return respondObject(call, existing(call), format);
  return minimumRevision(call.server.watchCache, wanted).then(() => respondObject(call, existing(call), format));
};

/** The object that the path names. Throws NotFound. */
export function existing(call: ResourceCall): StoredObject {
  const { name } = call.route.attributes;
  const object = call.resource.cache.objects.get(keyOf(call));
  if (!object && call.resource.cache.lost) checkFound(call, keyOf(call));
  if (!object) throw StatusError.notFound(call.resource, name);
  return object;
}

/** What seems not to be there may be there and not readable. Throws InternalError. */
export function checkFound({ resource, server }: ResourceCall, key: string): void {
  checkReadable(key, resource, server.isEnabled('AllowUnsafeMalformedObjectDeletion'));
}

/** The key of the object that the path names. */
export function keyOf({ resource, route }: ResourceCall): string {
  const { name, namespace } = route.attributes;
  return objectKey(resource.cache.prefix, resource.namespaced ? namespace : '', name);
}
