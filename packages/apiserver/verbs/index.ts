import { table } from '@kubernode/machinery';
import { StatusError } from '@kubernode/api';
import type { Verb } from '../context.ts';
import { componentStatuses } from '../debug/component-status.ts';
import type { ServedResource } from '../registry.ts';
import { pageNotFound, type Route } from '../route.ts';
import { connect } from './connect.ts';
import { create } from './create.ts';
import { deleteOne } from './delete.ts';
import { deleteCollection } from './deletecollection.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { bind } from './subresources/binding.ts';
import { subresourceVerb } from './subresources/index.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';

const verbs: Readonly<Record<string, Verb>> = table({
  create,
  get,
  list,
  watch,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
});

/** The verb that answers a route. Throws MethodNotAllowed where the resource does not have it. */
export function verbFor(route: Route, resource: ServedResource, method: string): Verb {
  const { verb, subresource, name, namespace } = route.attributes;
  const supported = resource.verbsOf.get(subresource);
  // What can only be created has no paths of single objects.
  if (name !== '' && subresource === '' && supported?.size === 1 && supported.has('create')) throw pageNotFound();
  const isStream = verb === 'list' || verb === 'watch';
  const hasPlace = !resource.namespaced || namespace !== '' || isStream;
  const fitsMethod = method !== 'HEAD' && (!route.legacyWatch || method === 'GET');
  const hasName =
    isOnCollection(verb, subresource) === undefined || isOnCollection(verb, subresource) === (name === '');
  if (!supported?.has(verb) || !hasPlace || !fitsMethod || !hasName) throw methodNotAllowed(resource, method);
  if (connected.has(subresource)) return connect;
  if (resource.plural === 'bindings' && resource.group === '') return bind;
  if (resource.plural === 'componentstatuses' && resource.group === '') return componentStatuses;
  return subresource ? subresourceVerb(resource, subresource, verb) : verbs[verb]!;
}

/** Subresources that are carried on to a kubelet, a pod or a service. */
const connected: ReadonlySet<string> = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/** Whether a verb is for a collection (POST on it creates) or for one object; undefined where its path decided that. */
function isOnCollection(verb: string, subresource: string): boolean | undefined {
  if (verb === 'list' || verb === 'watch' || verb === 'deletecollection') return undefined;
  return verb === 'create' && subresource === '';
}

function methodNotAllowed(resource: ServedResource, method: string): StatusError {
  const names: Readonly<Record<string, string>> = {
    POST: 'create',
    GET: 'get',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: 'delete',
  };
  const action = names[method] ?? method;
  const message = `${action} is not supported on resources of kind "${resource.group ? `${resource.plural}.${resource.group}` : resource.plural}"`;
  const details = resource.custom ? { group: resource.group, kind: resource.plural } : {};
  return StatusError.of('MethodNotAllowed', message, details);
}
