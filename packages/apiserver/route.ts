import { scheme, StatusError } from '@kubernode/api';
import { BoundedMap, parseFieldSelector, type FieldRequirement } from '@kubernode/machinery';
import type { ResourceRegistry, ServedResource } from './registry.ts';
import type { Attributes } from './seams.ts';

/** What a path and a method ask for, as authorization sees it; whether it is served is found out afterwards. */
export interface Route {
  readonly attributes: Attributes;
  /** What follows a subresource in the path, still percent-encoded, with its slash (proxy). */
  readonly tail: string;
  /** `/api/v1/watch/...`, the old form of a watch. */
  readonly legacyWatch: boolean;
  readonly isResource: boolean;
}

const verbOf: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Reads a request's path and method. Throws BadRequest on a path that cannot be decoded. */
export function routeOf(method: string, path: string, query: URLSearchParams): Route {
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  const ofName = name.includes('%') ? undefined : collections.get(path.slice(0, slash));
  if (ofName) return routeIn(ofName, name, method, query);
  const collection = collections.get(path);
  if (collection) return routeIn(collection, '', method, query);
  const route = readRoute(method, path, query);
  if (isCollection(route, path)) rememberCollection(path);
  return route;
}

/** What the path of a collection says. All requests for it and its objects share these strings: they are hashed once. */
type Collection = Pick<Attributes, 'group' | 'version' | 'resource' | 'namespace'>;

const collections = new BoundedMap<string, Collection>(4_000);
/** Longer paths are not worth their memory. */
const collectionCharsMax = 200;

/** What follows these in a path is no name of an object of theirs, or not only. */
const notCollections: ReadonlySet<string> = new Set(['namespaces', 'watch']);

function isCollection({ isResource, legacyWatch, attributes }: Route, path: string): boolean {
  const { name, subresource, resource } = attributes;
  if (!isResource || legacyWatch || name !== '' || subresource !== '' || notCollections.has(resource)) return false;
  return isPlain(path);
}

const isPlain = (path: string): boolean => path.length <= collectionCharsMax && /^[\w\-./]+[\w\-.]$/.test(path);

function rememberCollection(path: string): void {
  // A copy: a part of a request's head would keep all of it.
  const own = Buffer.from(path).toString('latin1');
  const { group, version, resource, namespace } = readRoute('POST', own, new URLSearchParams()).attributes;
  collections.set(own, { group, version, resource, namespace });
}

function routeIn(collection: Collection, name: string, method: string, query: URLSearchParams): Route {
  const { group, version, resource, namespace } = collection;
  const verb = resourceVerb(method, name, query);
  return resourceRoute({ group, version, resource, subresource: '', namespace, path: '', verb, name }, query);
}

function resourceRoute(attributes: Attributes, query: URLSearchParams, tail = '', legacyWatch = false): Route {
  const { verb } = attributes;
  const isOfMany = verb === 'list' || verb === 'watch' || verb === 'deletecollection';
  const selected = isOfMany ? { ...attributes, ...selectors(query) } : attributes;
  return { attributes: selected, tail, legacyWatch, isResource: true };
}

function readRoute(method: string, path: string, query: URLSearchParams): Route {
  // A slash is a slash, however it is written, but in what is carried on.
  const hasSlashes = path.includes('%') && !path.includes('/proxy');
  const raw = (hasSlashes ? path.replaceAll(/%2f/gi, '/') : path).split('/');
  // '', 'api', 'v1', ... or '', 'apis', group, version, ...
  const isCore = raw[1] === 'api';
  const start = isCore ? 3 : 4;
  if ((!isCore && raw[1] !== 'apis') || raw.length <= start || raw[start] === '') return otherPath(method, path);
  const group = isCore ? '' : decode(raw[2]!);
  const version = decode(raw[start - 1]!);
  let at = start;
  const legacyWatch = raw[at] === 'watch' && raw.length > at + 1;
  if (legacyWatch) at += 1;
  let namespace = '';
  if (raw[at] === 'namespaces' && raw.length > at + 1) {
    namespace = decode(raw[at + 1]!);
    if (raw.length > at + 2 && !namespaceSubresources.has(raw[at + 2]!)) at += 2;
  }
  const resource = decode(raw[at] ?? '');
  const name = decode(raw[at + 1] ?? '');
  const subresource = decode(raw[at + 2] ?? '');
  const tail = raw.length > at + 3 ? `/${raw.slice(at + 3).join('/')}` : '';
  const verb = legacyWatch && method === 'GET' ? 'watch' : resourceVerb(method, name, query);
  const attributes = { group, version, resource, subresource, namespace, path: '', verb, name };
  return resourceRoute(attributes, query, tail, legacyWatch);
}

/**
 * What authorization sees: a list of one name is about that object. So a kubelet may watch the ConfigMaps of its pods,
 * one by one.
 */
export function authorizedAttributes(attributes: Attributes): Attributes {
  const { verb, name, fieldSelector } = attributes;
  if (name !== '' || (verb !== 'list' && verb !== 'watch') || !fieldSelector?.includes('metadata.name'))
    return attributes;
  try {
    const isExact = ({ field, operator }: FieldRequirement) => field === 'metadata.name' && operator === '=';
    return { ...attributes, name: parseFieldSelector(fieldSelector).find(isExact)?.value ?? '' };
  } catch {
    return attributes; // The verb says what is wrong with the selector.
  }
}

/** Paths of a namespace itself; everything else below it is a resource in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

function resourceVerb(method: string, name: string, query: URLSearchParams): string {
  const verb = verbOf.get(method) ?? method.toLowerCase();
  if (verb === 'get' && name === '') return isTrue(query.get('watch')) ? 'watch' : 'list';
  if (verb === 'delete' && name === '') return 'deletecollection';
  return verb;
}

function selectors(query: URLSearchParams): Pick<Attributes, 'fieldSelector' | 'labelSelector'> {
  return {
    fieldSelector: query.get('fieldSelector') || undefined,
    labelSelector: query.get('labelSelector') || undefined,
  };
}

/** How upstream reads a boolean in a query: anything but these is true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0' && value !== 'False' && value !== 'F' && value !== 'f';
}

function otherPath(method: string, path: string): Route {
  const empty = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  const verb = method.toLowerCase();
  return { attributes: { ...empty, verb, path: decode(path) }, tail: '', legacyWatch: false, isResource: false };
}

function decode(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    throw StatusError.badRequest(`the path segment "${part}" is not percent-encoded correctly`);
  }
}

/** The resource that a route names. Throws the 404 of an unknown path where it is not served. */
export function resourceOf(route: Route, registry: ResourceRegistry): ServedResource {
  const { group, version, resource: plural, subresource, namespace, name } = route.attributes;
  const resource = registry.find(group, version, plural);
  if (name === '.' || name === '..')
    throw StatusError.badRequest(`Name parameter invalid: "${name}": may not be '${name}'`);
  const isServed =
    resource !== undefined &&
    (subresource === '' || resource.verbsOf.has(subresource)) &&
    (resource.namespaced || namespace === '' || plural === 'namespaces') &&
    (namespace !== '' || name === '' || !resource.namespaced) &&
    (route.tail === '' || subresource === 'proxy');
  if (resource?.custom && subresource !== '' && !resource.verbsOf.has(subresource)) {
    throw StatusError.notFound(resource, name);
  }
  const isBuiltIn = group === '' || scheme.groups.some((each) => each.group === group);
  if (!isServed) throw isBuiltIn ? pageNotFound() : new NoSuchPage();
  return resource;
}

/** Paths of groups that are not built in are answered by nobody at all: in plain text, as upstream does. */
export class NoSuchPage extends StatusError {
  constructor() {
    super(pageNotFound().status);
  }
}

/** The answer to a method that a path does not have. */
export function methodNotAllowed(): StatusError {
  return StatusError.of('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** The answer to a path that nothing serves. */
export function pageNotFound(): StatusError {
  return StatusError.of('NotFound', 'the server could not find the requested resource', {});
}
