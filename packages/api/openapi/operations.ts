import type { SubresourceInfo } from '../scheme.ts';
import { connectionsOf, logParameters } from './connections.ts';
import type { Parameter } from './parameters.ts';
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  nameParameter,
  namespaceParameter,
  patchParameters,
  pretty,
  resourceVersion,
  sortedParameters,
  writeParameters,
} from './parameters.ts';
import { capital, groupWord, tagOf } from './words.ts';

/** What OpenAPI needs to know of a resource; a ResourceInfo is one, a custom resource brings its own schema. */
export interface OpenApiResource {
  readonly kind: GroupVersionKind;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceInfo[];
  /** Of a custom resource: its OpenAPI v3 schema. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  /** Of a custom resource. Default: the kind and `List`. */
  readonly listKind?: string | undefined;
  /** Of a custom resource: paths of the fields that lists can be selected by. */
  readonly selectableFields?: readonly string[] | undefined;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One operation, before it is worded for a version of OpenAPI. */
export interface Operation {
  readonly path: string;
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';
  /** Undefined of discovery, which has no kind either. */
  readonly action?: string | undefined;
  readonly operationId: string;
  readonly tag: string;
  readonly gvk?: GroupVersionKind | undefined;
  /** Sorted by name. */
  readonly parameters: readonly Parameter[];
  readonly body?: 'object' | 'patch' | 'deleteOptions' | undefined;
  /** The kind of a body and of an answer, where it is not `gvk`. */
  readonly bodyKind?: GroupVersionKind | undefined;
  readonly answer: 'object' | 'list' | 'status' | 'event' | 'text' | { readonly type: string };
  readonly codes: readonly string[];
  /** Media types. */
  readonly consumes?: readonly string[] | undefined;
  readonly produces: readonly string[];
}

/** Of the status codes that operations answer with. */
export const descriptions: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };

export const mediaTypes: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];
const streamed = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const customMediaTypes = ['application/json', 'application/yaml'];
const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

interface Template {
  readonly method: Operation['method'];
  readonly action: string;
  readonly word: string;
  readonly query: readonly Parameter[];
  readonly answer: Operation['answer'];
  readonly codes: readonly string[];
  readonly body?: Operation['body'];
}

const list: Template = {
  method: 'get',
  action: 'list',
  word: 'list',
  query: listParameters,
  answer: 'list',
  codes: ['200'],
};
const create: Template = {
  method: 'post',
  action: 'post',
  word: 'create',
  query: writeParameters,
  body: 'object',
  answer: 'object',
  codes: ['200', '201', '202'],
};
const removeAll: Template = {
  method: 'delete',
  action: 'deletecollection',
  word: 'deletecollection',
  query: deleteCollectionParameters,
  body: 'deleteOptions',
  answer: 'status',
  codes: ['200'],
};
const read: Template = { method: 'get', action: 'get', word: 'read', query: [], answer: 'object', codes: ['200'] };
const replace: Template = {
  method: 'put',
  action: 'put',
  word: 'replace',
  query: writeParameters,
  body: 'object',
  answer: 'object',
  codes: ['200', '201'],
};
const patch: Template = {
  method: 'patch',
  action: 'patch',
  word: 'patch',
  query: patchParameters,
  body: 'patch',
  answer: 'object',
  codes: ['200', '201'],
};
const remove: Template = {
  method: 'delete',
  action: 'delete',
  word: 'delete',
  query: deleteParameters,
  body: 'deleteOptions',
  answer: 'status',
  codes: ['200', '202'],
};
const watchList: Template = { ...list, action: 'watchlist', word: 'watch', answer: 'event' };

const builtIn = {
  ofCollection: { list, create, deletecollection: removeAll },
  ofObject: { get: read, update: replace, patch, delete: remove },
};

/** The documents of custom resources are made by another hand upstream, and differ in small things. */
const custom = {
  ofCollection: { list, create, deletecollection: { ...removeAll, query: listParameters, body: undefined } },
  ofObject: {
    get: { ...read, query: [resourceVersion] },
    update: replace,
    patch: { ...patch, codes: ['200'] },
    delete: remove,
  },
};

const customVerbs = ['list', 'create', 'deletecollection', 'get', 'update', 'patch', 'delete'];

/** Their deletion answers the object, where that of others answers a Status. */
const answeringTheObject: ReadonlySet<string> = new Set(
  (
    'persistentvolumeclaims pods podtemplates resourcequotas serviceaccounts services persistentvolumes deviceclasses ' +
    'resourceclaims resourceclaimtemplates resourceslices resourcepoolstatusrequests csidrivers csinodes storageclasses ' +
    'volumeattachments volumeattributesclasses v1alpha3/devicetaintrules v1beta2/devicetaintrules'
  ).split(' '),
);

/** All operations on a resource and its subresources. */
export function operationsOf(resource: OpenApiResource): Operation[] {
  const { group, version, kind } = resource.kind;
  const templates = resource.schema ? custom : builtIn;
  const base = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const scope = resource.namespaced ? '/namespaces/{namespace}' : '';
  const scoped = resource.namespaced ? 'Namespaced' : '';
  const collection = `${scope}/${resource.plural}`;
  const item = `${collection}/{name}`;
  const make = (template: Template, path: string, id: string, kinds: Kinds = { gvk: resource.kind }) =>
    operation(template, `${base}${path}`, id, kinds, resource);
  const ofVerbs = (table: Readonly<Record<string, Template>>, path: string) =>
    (resource.schema ? customVerbs : resource.verbs).flatMap((verb) => {
      const template = table[verb];
      return template ? [make(answerOf(template, resource), path, `${scoped}${kind}`)] : [];
    });
  const operations = [...ofVerbs(templates.ofCollection, collection), ...ofVerbs(templates.ofObject, item)];
  const lists = resource.verbs.includes('list');
  const everywhere = `${kind}ListForAllNamespaces`;
  if (lists && resource.namespaced) {
    operations.push(make(list, `/${resource.plural}`, `${kind}ForAllNamespaces`));
  }
  if (resource.verbs.includes('watch') && !resource.schema) {
    operations.push(make(watchList, `/watch${collection}`, `${scoped}${kind}List`));
    operations.push(make({ ...watchList, action: 'watch' }, `/watch${item}`, `${scoped}${kind}`));
    if (resource.namespaced) operations.push(make(watchList, `/watch/${resource.plural}`, everywhere));
  }
  for (const sub of resource.subresources) {
    const connections = connectionsOf(sub, resource, `${base}${item}`, scoped);
    operations.push(...connections);
    if (connections.length > 0) continue;
    const id = `${scoped}${kind}${capital(sub.name)}`;
    for (const verb of sub.verbs) {
      const template = verb === 'create' ? create : (templates.ofObject as Readonly<Record<string, Template>>)[verb];
      if (template) operations.push(make(template, `${item}/${sub.name}`, id, kindsOf(sub, resource)));
    }
  }
  return operations;
}

interface Kinds {
  readonly gvk: GroupVersionKind;
  readonly bodyKind?: GroupVersionKind | undefined;
  readonly isLog?: boolean;
}

/** A custom resource's scale is filed under the resource, though it is a Scale. */
function kindsOf(sub: SubresourceInfo, resource: OpenApiResource): Kinds {
  const { group, version } = resource.kind;
  const gvk = { group: sub.group ?? group, version: sub.version ?? version, kind: sub.kind };
  return resource.schema ? { gvk: resource.kind, bodyKind: gvk } : { gvk, isLog: sub.name === 'log' };
}

function answerOf(template: Template, { kind, plural, schema }: OpenApiResource): Template {
  const isNamed = answeringTheObject.has(plural) || answeringTheObject.has(`${kind.version}/${plural}`);
  const isObject = template.action === 'delete' && schema === undefined && isNamed;
  return isObject ? { ...template, answer: 'object' } : template;
}

function operation(
  template: Template,
  path: string,
  id: string,
  { gvk, bodyKind, isLog }: Kinds,
  { kind, schema }: OpenApiResource,
): Operation {
  const { method, action, word, query, body, answer, codes } = template;
  const types = schema ? customMediaTypes : mediaTypes;
  const [before, after] = word === 'deletecollection' ? ['delete', 'Collection'] : [word, ''];
  return {
    path,
    method,
    action,
    operationId: `${before}${groupWord(kind.group)}${capital(kind.version)}${after}${id}`,
    tag: tagOf(kind.group, kind.version),
    gvk,
    bodyKind,
    parameters: sortedParameters([...query, ...(isLog ? logParameters() : []), ...ofPath(path), pretty]),
    body,
    answer: isLog ? 'text' : answer,
    codes,
    consumes:
      body === 'patch' ? patchTypes.filter((type) => !schema || !type.includes('strategic')) : schema ? types : ['*/*'],
    produces: isLog ? ['text/plain', ...types] : !schema && query === listParameters ? [...types, ...streamed] : types,
  };
}

/** The parameters that a path names. */
function ofPath(path: string): Parameter[] {
  const parameters: Parameter[] = [];
  if (path.includes('{namespace}')) parameters.push(namespaceParameter);
  if (path.includes('{name}')) parameters.push(nameParameter);
  return parameters;
}
