import type { SubresourceInfo } from '../scheme.ts';
import { capital, groupWord } from './words.ts';

/** What OpenAPI needs to know of a resource; a ResourceInfo is one, a custom resource brings its own schema. */
export interface OpenApiResource {
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceInfo[];
  /** Of a custom resource: its OpenAPI v3 schema. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One operation, before it is worded for a version of OpenAPI. */
export interface Operation {
  readonly path: string;
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  readonly action: 'get' | 'list' | 'put' | 'patch' | 'post' | 'delete' | 'deletecollection' | 'connect';
  readonly operationId: string;
  readonly gvk: GroupVersionKind;
  readonly query: readonly QueryParameter[];
  readonly body?: 'object' | 'patch' | 'deleteOptions';
  readonly answer: 'object' | 'list' | 'status' | 'text';
  readonly codes: readonly string[];
  readonly mayApplyStrategically: boolean;
}

export type QueryParameter = readonly [name: string, type: 'string' | 'integer' | 'boolean'];

/** Of the status codes that operations answer with. */
export const descriptions: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };

const write: readonly QueryParameter[] = [
  ['dryRun', 'string'],
  ['fieldManager', 'string'],
  ['fieldValidation', 'string'],
];
const force: QueryParameter = ['force', 'boolean'];
const list: readonly QueryParameter[] = [
  ['allowWatchBookmarks', 'boolean'],
  ['continue', 'string'],
  ['fieldSelector', 'string'],
  ['labelSelector', 'string'],
  ['limit', 'integer'],
  ['resourceVersion', 'string'],
  ['resourceVersionMatch', 'string'],
  ['sendInitialEvents', 'boolean'],
  ['timeoutSeconds', 'integer'],
  ['watch', 'boolean'],
];
const remove: readonly QueryParameter[] = [
  ['dryRun', 'string'],
  ['gracePeriodSeconds', 'integer'],
  ['ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean'],
  ['orphanDependents', 'boolean'],
  ['propagationPolicy', 'string'],
];
const removeAll = [...remove, ...list.filter(([name]) => name !== 'allowWatchBookmarks' && name !== 'watch')].sort(
  ([a], [b]) => (a < b ? -1 : 1),
);

type Template = Pick<Operation, 'method' | 'action' | 'query' | 'answer' | 'codes'> & {
  readonly word: string;
  readonly body?: NonNullable<Operation['body']>;
};

const ofCollection: Readonly<Record<string, Template>> = {
  list: { method: 'get', action: 'list', word: 'list', query: list, answer: 'list', codes: ['200'] },
  create: {
    method: 'post',
    action: 'post',
    word: 'create',
    query: write,
    body: 'object',
    answer: 'object',
    codes: ['200', '201', '202'],
  },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    word: 'delete',
    query: removeAll,
    body: 'deleteOptions',
    answer: 'status',
    codes: ['200'],
  },
};

const ofObject: Readonly<Record<string, Template>> = {
  get: { method: 'get', action: 'get', word: 'read', query: [], answer: 'object', codes: ['200'] },
  update: {
    method: 'put',
    action: 'put',
    word: 'replace',
    query: write,
    body: 'object',
    answer: 'object',
    codes: ['200', '201'],
  },
  patch: {
    method: 'patch',
    action: 'patch',
    word: 'patch',
    query: [...write, force],
    body: 'patch',
    answer: 'object',
    codes: ['200', '201'],
  },
  delete: {
    method: 'delete',
    action: 'delete',
    word: 'delete',
    query: remove,
    body: 'deleteOptions',
    answer: 'status',
    codes: ['200', '202'],
  },
};

const createOfObject: Template = { ...(ofCollection['create'] as Template), codes: ['200', '201', '202'] };
/** Subresources that are a connection, not an object. */
const connections = new Set(['attach', 'exec', 'portforward', 'proxy']);

/** All operations on a resource and its subresources. */
export function operationsOf(resource: OpenApiResource): Operation[] {
  const { group, version } = resource.kind;
  const base = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const scope = resource.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `${base}${scope}/${resource.plural}`;
  const word = `${groupWord(group)}${capital(version)}`;
  const scoped = `${word}${resource.namespaced ? 'Namespaced' : ''}`;
  const make = (template: Template, path: string, operationId: string, gvk: GroupVersionKind): Operation => {
    const { word: _, ...rest } = template;
    return { ...rest, path, operationId, gvk, mayApplyStrategically: resource.schema === undefined };
  };
  const verbs = (templates: Readonly<Record<string, Template>>, path: string): Operation[] =>
    resource.verbs.flatMap((verb) => {
      const template = templates[verb];
      if (!template) return [];
      const many = verb === 'deletecollection' ? 'Collection' : '';
      const [before, after] = many ? [word, `${many}${scoped.slice(word.length)}`] : [scoped, ''];
      return [make(template, path, `${template.word}${before}${after}${resource.kind.kind}`, resource.kind)];
    });
  const everywhere = resource.namespaced && resource.verbs.includes('list') ? ofCollection['list'] : undefined;
  return [
    ...verbs(ofCollection, collection),
    ...(everywhere
      ? [
          make(
            everywhere,
            `${base}/${resource.plural}`,
            `list${word}${resource.kind.kind}ForAllNamespaces`,
            resource.kind,
          ),
        ]
      : []),
    ...verbs(ofObject, `${collection}/{name}`),
    ...resource.subresources.flatMap((sub) =>
      subresourceOperations(sub, resource).map(([template, gvk]) =>
        make(
          template,
          `${collection}/{name}/${sub.name}`,
          `${template.word}${scoped}${resource.kind.kind}${capital(sub.name)}`,
          gvk,
        ),
      ),
    ),
  ];
}

function subresourceOperations(sub: SubresourceInfo, resource: OpenApiResource): [Template, GroupVersionKind][] {
  const { group, version } = resource.kind;
  const gvk = { group: sub.group ?? group, version: sub.version ?? version, kind: sub.kind };
  return sub.verbs.flatMap((verb): [Template, GroupVersionKind][] => {
    const template = verb === 'create' ? createOfObject : ofObject[verb];
    if (!template) return [];
    if (!connections.has(sub.name)) return [[sub.name === 'log' ? { ...template, answer: 'text' } : template, gvk]];
    const { body: _, ...rest } = template;
    const word = `connect${capital(rest.method)}`;
    return [[{ ...rest, action: 'connect', word, query: [], answer: 'text', codes: ['200'] }, gvk]];
  });
}
