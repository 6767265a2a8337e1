import { table } from '@kubernode/machinery';
import { StatusError } from '@kubernode/api';
import type { Verb } from '../../context.ts';
import type { ServedResource } from '../../registry.ts';
import { get } from '../get.ts';
import { patchSubresource } from '../patch.ts';
import { updateSubresource } from '../update.ts';
import { answerVirtual } from '../virtual.ts';
import { bind } from './binding.ts';
import { evict } from './eviction.ts';
import { getScale, patchScale, updateScale } from './scale.ts';

const ofTheirOwn: Readonly<Record<string, Verb>> = table({
  'binding create': bind,
  'eviction create': evict,
  'scale get': getScale,
  'scale update': updateScale,
  'scale patch': patchScale,
});

/** The verb of a subresource that is answered here (what is carried on to nodes is `connect`'s). */
export function subresourceVerb(resource: ServedResource, subresource: string, verb: string): Verb {
  const own = ofTheirOwn[`${subresource} ${verb}`];
  if (own) return own;
  if (verb === 'get') return get;
  if (verb === 'update') return (call) => updateSubresource(call, subresource);
  if (verb === 'patch') return (call) => patchSubresource(call, subresource);
  return async (call) => {
    const { group, version, plural } = resource;
    const virtual = call.server.virtualResources.get(`${group}/${version}/${plural}/${subresource}`);
    if (virtual) return answerVirtual(call, virtual);
    throw StatusError.of('MethodNotAllowed', `${verb} is not supported on ${plural}/${subresource}`, {});
  };
}
