import type { OpenApiResource, Operation } from './operations.ts';
import { descriptions, operationsOf } from './operations.ts';
import { definitionsFor } from './definitions.ts';
import type { Definitions } from './definitions.ts';
import { inCommon, isSame, parameterV3, sortedParameters, type Parameter } from './parameters.ts';
import type { Schema } from './schemas.ts';
import { dialect3 } from './schemas.ts';

/** What one document of version 3 is about. */
export interface OpenApiV3Part {
  /** Beside those of the resources: discovery, the version, keys. */
  readonly operations: readonly Operation[];
  readonly resources: readonly OpenApiResource[];
}

/** The OpenAPI v3 document of a part: of `/openapi/v3/apis/apps/v1`. Made anew on every call. */
export function openApiV3({ operations, resources }: OpenApiV3Part, release: string): Schema {
  const isCustom = resources.some(({ schema }) => schema);
  const definitions = definitionsFor(dialect3, resources, isCustom ? 'custom' : (resources[0]?.kind ?? 'all'));
  const all = [...operations, ...resources.flatMap(operationsOf)];
  const paths = [...Map.groupBy(all, ({ path }) => path)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, ofPath]) => [path, pathItem(ofPath, definitions)]);
  const schemas = definitions.schemas.sorted();
  return {
    openapi: '3.0.0',
    info: isCustom ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' } : { title: 'Kubernetes', version: release },
    paths: Object.fromEntries(paths),
    components: {
      ...(Object.keys(schemas).length > 0 ? { schemas } : {}),
      ...(isCustom
        ? {}
        : { securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } } }),
    },
  };
}

function pathItem(operations: readonly Operation[], definitions: Definitions): Schema {
  const common = inCommon(operations);
  const item: Record<string, unknown> = {};
  for (const operation of operations) item[operation.method] = render(operation, common, definitions);
  if (common.length > 0) item['parameters'] = sortedParameters(common).map(parameterV3);
  return item;
}

function render(operation: Operation, common: readonly Parameter[], definitions: Definitions): Schema {
  const { body, action, gvk } = operation;
  const own = operation.parameters.filter((each) => !common.some((other) => isSame(each, other)));
  return {
    tags: [operation.tag],
    operationId: operation.operationId,
    ...(own.length > 0 ? { parameters: own.map(parameterV3) } : {}),
    ...(body ? { requestBody: requestBody(operation, definitions) } : {}),
    responses: responses(operation, definitions),
    ...(action ? { 'x-kubernetes-action': action } : {}),
    ...(gvk ? { 'x-kubernetes-group-version-kind': { group: gvk.group, version: gvk.version, kind: gvk.kind } } : {}),
  };
}

function requestBody(operation: Operation, definitions: Definitions): Schema {
  const content = contentOf(operation.consumes ?? [], definitions.body(operation));
  return { content, ...(operation.body === 'deleteOptions' ? {} : { required: true }) };
}

function responses(operation: Operation, definitions: Definitions): Schema {
  const content = contentOf(operation.produces, definitions.answer(operation));
  const answers = operation.codes.map((code) => [code, { description: descriptions[code] ?? '', content }]);
  return { ...Object.fromEntries(answers), '401': { description: 'Unauthorized' } };
}

function contentOf(types: readonly string[], schema: Schema): Schema {
  return Object.fromEntries([...types].sort().map((type) => [type, { schema }]));
}
