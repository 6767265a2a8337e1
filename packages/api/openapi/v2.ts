import type { Definitions } from './definitions.ts';
import { definitionsFor } from './definitions.ts';
import type { OpenApiResource, Operation } from './operations.ts';
import { descriptions, operationsOf } from './operations.ts';
import { inCommon, isSame, parameterV2, sortedParameters, type Parameter } from './parameters.ts';
import {
  coreVersions,
  groupOperation,
  groups,
  plainOperation,
  resourcesOperation,
  versionOperation,
} from './root-operations.ts';
import type { Schema } from './schemas.ts';
import { dialect2 } from './schemas.ts';

export interface OpenApiV2Options {
  /** `1.37` */
  readonly release: string;
  /** Paths of the server's plain documents: `/openid/v1/jwks`. */
  readonly plainPaths?: readonly string[] | undefined;
}

/** The OpenAPI v2 document of all resources: `/openapi/v2`. Made anew on every call; it is some megabytes as text. */
export function openApiV2(
  resources: readonly OpenApiResource[],
  { release, plainPaths = [] }: OpenApiV2Options,
): Schema {
  const definitions = definitionsFor(dialect2, resources, 'all');
  const shared = new Map<string, Schema>();
  const operations = [...rootOperations(resources, plainPaths), ...resources.flatMap(operationsOf)];
  const paths = [...Map.groupBy(operations, ({ path }) => path)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, ofPath]) => [path, pathItem(ofPath, definitions, shared)]);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: release },
    paths: Object.fromEntries(paths),
    definitions: definitions.schemas.sorted(),
    parameters: Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  };
}

/** What is served beside resources. Custom groups have no operations of their own. */
function rootOperations(resources: readonly OpenApiResource[], plainPaths: readonly string[]): Operation[] {
  const builtIn = resources.filter(({ schema }) => !schema).map(({ kind }) => kind);
  const named = new Set(builtIn.map(({ group }) => group).filter(Boolean));
  const versions = new Map(builtIn.map(({ group, version }) => [`${group}/${version}`, { group, version }]));
  return [
    coreVersions(),
    groups(),
    versionOperation(),
    ...[...named].map(groupOperation),
    ...[...versions.values()].map(({ group, version }) => resourcesOperation(group, version)),
    ...plainPaths.flatMap((path) => plainOperation(path) ?? []),
  ];
}

function pathItem(operations: readonly Operation[], definitions: Definitions, shared: Map<string, Schema>): Schema {
  const common = inCommon(operations);
  const item: Record<string, unknown> = {};
  for (const operation of operations) item[operation.method] = render(operation, common, definitions, shared);
  if (common.length > 0) item['parameters'] = sortedParameters(common).map((each) => referred(each, shared));
  return item;
}

/** What many operations take is written once. */
function referred(parameter: Parameter, shared: Map<string, Schema>): Schema {
  if (!parameter.shared) return parameterV2(parameter);
  if (!shared.has(parameter.shared)) shared.set(parameter.shared, parameterV2(parameter));
  return { $ref: `#/parameters/${parameter.shared}` };
}

function render(
  operation: Operation,
  common: readonly Parameter[],
  definitions: Definitions,
  shared: Map<string, Schema>,
): Schema {
  const { action, gvk } = operation;
  const own = operation.parameters.filter((each) => !common.some((other) => isSame(each, other)));
  const parameters = [...bodyOf(operation, definitions, shared), ...own.map((each) => referred(each, shared))];
  return {
    ...(operation.consumes ? { consumes: operation.consumes } : {}),
    produces: operation.produces,
    schemes: ['https'],
    tags: [operation.tag],
    operationId: operation.operationId,
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: responses(operation, definitions),
    ...(action ? { 'x-kubernetes-action': action } : {}),
    ...(gvk ? { 'x-kubernetes-group-version-kind': { group: gvk.group, version: gvk.version, kind: gvk.kind } } : {}),
  };
}

const sharedBodies: Readonly<Record<string, string>> = { patch: 'body-78PwaGsr', deleteOptions: 'body-2Y1dVQaQ' };

function bodyOf(operation: Operation, definitions: Definitions, shared: Map<string, Schema>): Schema[] {
  const { body } = operation;
  if (!body) return [];
  const isRequired = body !== 'deleteOptions';
  const schema = definitions.body(operation);
  const parameter = { name: 'body', in: 'body', ...(isRequired ? { required: true } : {}), schema };
  const name = sharedBodies[body];
  if (!name) return [parameter];
  shared.set(name, parameter);
  return [{ $ref: `#/parameters/${name}` }];
}

function responses(operation: Operation, definitions: Definitions): Schema {
  const schema = definitions.answer(operation);
  const answers = operation.codes.map((code) => [code, { description: descriptions[code] ?? '', schema }]);
  return { ...Object.fromEntries(answers), '401': { description: 'Unauthorized' } };
}
