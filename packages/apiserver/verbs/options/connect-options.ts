import { decodeValue } from '@kubernode/api';
import type { ResourceCall } from '../../context.ts';
import { isTrue } from '../../route.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { admitMutating, admitValidating } from '../writes/admit.ts';
import { shapeOfSubresource } from '../subresources/shapes.ts';

/** Asks those who look at connections (CONNECT), showing them what the query says. Throws what they refuse with. */
export async function admitConnection(call: ResourceCall): Promise<void> {
  if (!call.server.security.admission.some(({ connects }) => connects)) return;
  const admitted = { operation: 'CONNECT', object: optionsOf(call), oldObject: undefined, dryRun: false } as const;
  await admitMutating(call, admitted);
  await admitValidating(call, admitted);
}

/** PodExecOptions and its like, made of the query; a proxy's path is what follows it. */
function optionsOf({ resource, route, request }: ResourceCall): ApiObject {
  const { apiVersion, kind, shape } = shapeOfSubresource(resource, route.attributes.subresource);
  const options: Record<string, unknown> = { kind, apiVersion };
  for (const { name, shape: field } of shape.fields) {
    const values = request.query.getAll(name);
    if (name === 'path') options[name] = decodeURI(route.tail);
    else if (values.length === 0 || name in options) continue;
    else if (field.type === 'bool') options[name] = isTrue(values[0]!);
    else if (field.type !== 'list') options[name] = values[0];
    else options[name] = field.items.type === 'string' ? values : numbers(values);
  }
  return decodeValue<ApiObject>(options, shape).object;
}

const numbers = (values: readonly string[]) =>
  values
    .flatMap((value) => value.split(','))
    .filter((value) => /^\d{1,9}$/.test(value))
    .map(Number);
