import { shapeOf } from '../shapes.ts';
import type { SubresourceInfo } from '../scheme.ts';
import type { OpenApiResource, Operation } from './operations.ts';
import type { Parameter } from './parameters.ts';
import { nameParameter, namespaceParameter, optionSuffixes, pathParameter, sortedParameters } from './parameters.ts';
import { capital, groupWord, tagOf } from './words.ts';

const everyMethod = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;

/** Methods of the subresources that are a connection, not an object. */
const methodsOf: Readonly<Record<string, readonly Operation['method'][]>> = {
  attach: ['get', 'post'],
  exec: ['get', 'post'],
  portforward: ['get', 'post'],
  proxy: everyMethod,
};

/** The operations of a subresource that is a connection; none of any other. `base`: the path of the object. */
export function connectionsOf(
  sub: SubresourceInfo,
  resource: OpenApiResource,
  base: string,
  scoped: string,
): Operation[] {
  const methods = resource.schema ? undefined : methodsOf[sub.name];
  if (!methods) return [];
  const { group, version, kind } = resource.kind;
  const gvk = { group: sub.group ?? group, version: sub.version ?? version, kind: sub.kind };
  const parameters = [
    ...optionParameters(sub.kind),
    nameParameter,
    ...(resource.namespaced ? [namespaceParameter] : []),
  ];
  const of = (method: Operation['method'], tail: string): Operation => ({
    path: `${base}/${sub.name}${tail}`,
    method,
    action: 'connect',
    operationId:
      `connect${groupWord(group)}${capital(version)}${capital(method)}${scoped}${kind}${capital(sub.name)}` +
      (tail ? 'WithPath' : ''),
    tag: tagOf(group, version),
    gvk,
    parameters: sortedParameters(tail ? [...parameters, pathParameter] : parameters),
    answer: 'text',
    codes: ['200'],
    consumes: ['*/*'],
    produces: ['*/*'],
  });
  const tails = sub.name === 'proxy' ? ['', '/{path}'] : [''];
  return tails.flatMap((tail) => methods.map((method) => of(method, tail)));
}

/** What reading a log takes. */
export const logParameters = (): Parameter[] => optionParameters('PodLogOptions');

const types = { string: 'string', bool: 'boolean', int32: 'integer', int64: 'integer' } as const;

/** The fields of an options kind are the parameters of its requests; what is no plain value is not published. */
function optionParameters(kind: string): Parameter[] {
  return shapeOf(`core/v1.${kind}`).fields.flatMap(({ name, shape }): Parameter[] => {
    const item = shape.type === 'list' ? shape.items.type : shape.type;
    const type = types[item as keyof typeof types];
    if (!type || name === 'kind' || name === 'apiVersion') return [];
    const suffix = optionSuffixes[`${kind}.${name}`];
    return [{ name, in: 'query', type, shared: suffix && `${name}-${suffix}` }];
  });
}
