import { scheme } from '@kubernode/api';
import type { ResourceCall } from '../context.ts';
import type { ServerResponse } from '../request.ts';
import type { VirtualResource } from '../seams.ts';
import { admitMutating, admitValidating } from './writes/admit.ts';
import { readObject } from './writes/input.ts';
import { ownAsCreated } from './writes/managed-fields.ts';
import { writeOptions } from './options/options.ts';
import { notAcceptable } from '../encode/negotiate.ts';
import { formatOf, respondValue } from './respond.ts';
import { shapeOfSubresource } from './subresources/shapes.ts';

/** A POST that is answered, not stored. */
export async function answerVirtual(call: ResourceCall, virtual: VirtualResource): Promise<ServerResponse> {
  const format = formatOf(call);
  // What is not stored has no columns.
  if (format.transform === 'Table') throw notAcceptable();
  const options = writeOptions(call.request.query, 'CreateOptions');
  const expected = shapeOfSubresource(call.resource, virtual.subresource);
  const object = await readObject(call, expected, options);
  const { namespace } = call.route.attributes;
  if (call.resource.namespaced && !virtual.subresource) object.metadata.namespace ??= namespace;
  scheme.byKind(expected.apiVersion, expected.kind)?.definition.defaults?.(object);
  virtual.defaults?.(object);
  ownAsCreated(call, object, expected, options, virtual.blank);
  const admitted = { operation: 'CREATE', object, oldObject: undefined, dryRun: options.dryRun } as const;
  const admit = () => admitValidating(call, admitted);
  await admitMutating(call, admitted);
  if (!virtual.admitsItself) await admit();
  const answer = await virtual.create({
    attributes: call.route.attributes,
    user: call.user,
    object,
    dryRun: options.dryRun,
    admit,
    warn: (text) => {
      call.warnings.push(text);
    },
  });
  return respondValue(call, answer, format, 201);
}
