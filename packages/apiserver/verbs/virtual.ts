import { scheme } from '@kubernode/api';
import type { ResourceCall } from '../context.ts';
import type { ServerResponse } from '../request.ts';
import type { VirtualResource } from '../seams.ts';
import { readObject } from './input.ts';
import { writeOptions } from './options.ts';
import { formatOf, respondValue } from './respond.ts';
import { shapeOfSubresource } from './subresources/shapes.ts';

/** A POST that is answered, not stored. */
export async function answerVirtual(call: ResourceCall, virtual: VirtualResource): Promise<ServerResponse> {
  const format = formatOf(call);
  const options = writeOptions(call.request.query, 'CreateOptions');
  const expected = shapeOfSubresource(call.resource, virtual.subresource);
  const object = await readObject(call, expected, options);
  const { namespace } = call.route.attributes;
  if (call.resource.namespaced && !virtual.subresource) object.metadata.namespace ??= namespace;
  scheme.byKind(expected.apiVersion, expected.kind)?.definition.defaults?.(object);
  const answer = await virtual.create({
    attributes: call.route.attributes,
    user: call.user,
    object,
    dryRun: options.dryRun,
    warn: (text) => {
      call.warnings.push(text);
    },
  });
  return respondValue(call, answer, format, 201);
}
