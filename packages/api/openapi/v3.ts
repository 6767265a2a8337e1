import { createHash } from 'node:crypto';
import type { OpenApiResource, Operation } from './operations.ts';
import { descriptions, operationsOf } from './operations.ts';
import { definitionsFor } from './definitions.ts';
import type { Definitions } from './definitions.ts';
import type { Schema } from './schemas.ts';
import { dialect3 } from './schemas.ts';
import { groupWord, capital, tagOf } from './words.ts';

const mediaTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const watchTypes = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const patchTypes = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];

export interface GroupVersion {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
}

/** The OpenAPI v3 document of one group and version: `/openapi/v3/apis/apps/v1`. Made anew on every call. */
export function openApiV3(groupVersion: GroupVersion, resources: readonly OpenApiResource[], release: string): Schema {
  const definitions = definitionsFor(dialect3, resources);
  const paths: Record<string, Record<string, unknown>> = {
    [`/${openApiV3Path(groupVersion)}/`]: discovery(groupVersion, definitions),
  };
  for (const operation of resources.flatMap(operationsOf)) {
    const item = (paths[operation.path] ??= { parameters: pathParameters(operation.path) });
    item[operation.method] = render(operation, definitions, groupVersion);
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: release },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: definitions.schemas.sorted(),
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
}

/**
 * The index of `/openapi/v3`. Its hashes are of what the documents are made of, so that none has to be made for it.
 */
export function openApiV3Index(
  groupVersions: ReadonlyMap<GroupVersion, readonly OpenApiResource[]>,
  release: string,
): Schema {
  const paths = [...groupVersions].map(([groupVersion, resources]) => {
    const path = openApiV3Path(groupVersion);
    const url = `/openapi/v3/${path}?hash=${openApiHash(resources, release)}`;
    return [path, { serverRelativeURL: url }] as const;
  });
  return { paths: Object.fromEntries(paths) };
}

/** Changes whenever the document of these resources does; 128 hexadecimal digits. */
export function openApiHash(resources: readonly OpenApiResource[], release: string): string {
  const hash = createHash('sha512').update(release);
  for (const { kind, plural, namespaced, verbs, subresources, schema } of resources) {
    hash.update(JSON.stringify([kind.group, kind.version, kind.kind, plural, namespaced, verbs, subresources, schema]));
  }
  return hash.digest('hex').toUpperCase();
}

/** Where a group version is, below `/` and below `/openapi/v3/`: `apis/apps/v1`, `api/v1`. */
export const openApiV3Path = ({ group, version }: GroupVersion) =>
  group ? `apis/${group}/${version}` : `api/${version}`;

function render(operation: Operation, definitions: Definitions, { group, version }: GroupVersion): Schema {
  const { query, body, action, gvk } = operation;
  return {
    tags: [tagOf(group, version)],
    operationId: operation.operationId,
    ...(query.length > 0 ? { parameters: query.map(([name, type]) => parameter('query', name, type)) } : {}),
    ...(body ? { requestBody: requestBody(operation, definitions) } : {}),
    responses: responses(operation, definitions),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: gvk.group, version: gvk.version, kind: gvk.kind },
  };
}

function requestBody(operation: Operation, definitions: Definitions): Schema {
  const schema = definitions.body(operation);
  if (operation.body !== 'patch') return { content: { '*/*': { schema } } };
  const types = operation.mayApplyStrategically
    ? [...patchTypes, 'application/strategic-merge-patch+json']
    : patchTypes;
  return { content: contentOf(types, schema) };
}

function responses(operation: Operation, definitions: Definitions): Schema {
  const unauthorized = { '401': { description: 'Unauthorized' } };
  const schema = definitions.answer(operation);
  const types = operation.action === 'list' ? [...mediaTypes, ...watchTypes] : mediaTypes;
  const content = operation.answer === 'text' ? contentOf(['*/*'], schema) : contentOf(types, schema);
  const answers = operation.codes.map((code) => [code, { description: descriptions[code] ?? '', content }]);
  return { ...Object.fromEntries(answers), ...unauthorized };
}

function discovery({ group, version }: GroupVersion, definitions: Definitions): Record<string, unknown> {
  const content = contentOf(mediaTypes, definitions.ofName('meta.k8s.io/v1.APIResourceList'));
  return {
    get: {
      tags: [tagOf(group, version)],
      operationId: `get${groupWord(group)}${capital(version)}APIResources`,
      responses: { '200': { description: 'OK', content }, '401': { description: 'Unauthorized' } },
    },
  };
}

function contentOf(types: readonly string[], schema: Schema): Schema {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function pathParameters(path: string): Schema[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();
  return [
    ...names.map((name) => ({ ...parameter('path', name, 'string'), required: true })),
    parameter('query', 'pretty', 'string'),
  ];
}

function parameter(place: 'query' | 'path', name: string, type: string): Schema {
  return { name, in: place, schema: { type, uniqueItems: true } };
}
