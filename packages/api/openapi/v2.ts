import type { Definitions } from './definitions.ts';
import { definitionsFor } from './definitions.ts';
import type { OpenApiResource, Operation } from './operations.ts';
import { descriptions, operationsOf } from './operations.ts';
import type { Schema } from './schemas.ts';
import { dialect2 } from './schemas.ts';
import { tagOf } from './words.ts';

const produces = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const watches = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const patchTypes = ['application/json-patch+json', 'application/merge-patch+json'];

/** The OpenAPI v2 document of all resources: `/openapi/v2`. Made anew on every call; it is some megabytes as text. */
export function openApiV2(resources: readonly OpenApiResource[], release: string): Schema {
  const definitions = definitionsFor(dialect2, resources);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const resource of resources) {
    for (const operation of operationsOf(resource)) {
      const item = (paths[operation.path] ??= { parameters: pathParameters(operation.path) });
      item[operation.method] = render(operation, definitions, resource);
    }
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: release },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    definitions: definitions.schemas.sorted(),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  };
}

function render(operation: Operation, definitions: Definitions, { kind }: OpenApiResource): Schema {
  const { query, body, action, gvk } = operation;
  const parameters: Schema[] = query.map(([name, type]) => ({ name, in: 'query', type, uniqueItems: true }));
  if (body) {
    const isRequired = body !== 'deleteOptions';
    const schema = definitions.body(operation);
    parameters.unshift({ name: 'body', in: 'body', ...(isRequired ? { required: true } : {}), schema });
  }
  return {
    consumes: consumes(operation),
    produces: operation.answer === 'text' ? ['*/*'] : action === 'list' ? [...produces, ...watches] : produces,
    schemes: ['https'],
    tags: [tagOf(kind.group, kind.version)],
    operationId: operation.operationId,
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: responses(operation, definitions),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: gvk.group, version: gvk.version, kind: gvk.kind },
  };
}

function consumes({ body, mayApplyStrategically }: Operation): readonly string[] {
  if (body !== 'patch') return ['*/*'];
  const strategic = mayApplyStrategically ? ['application/strategic-merge-patch+json'] : [];
  return [...patchTypes, ...strategic, 'application/apply-patch+yaml'];
}

function responses(operation: Operation, definitions: Definitions): Schema {
  const schema = definitions.answer(operation);
  const answers = operation.codes.map((code) => [code, { description: descriptions[code] ?? '', schema }]);
  return { ...Object.fromEntries(answers), '401': { description: 'Unauthorized' } };
}

function pathParameters(path: string): Schema[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();
  return [
    ...names.map((name) => ({ name, in: 'path', required: true, type: 'string', uniqueItems: true })),
    { name: 'pretty', in: 'query', type: 'string', uniqueItems: true },
  ];
}
