import type { Attributes } from '../seams.ts';
import type { CounterSeries, GaugeSeries, HistogramSeries } from './series.ts';
import { requestFamilies, type RequestFamilies } from './request-families.ts';
import type { MetricsRegistry } from './registry.ts';

/** What is counted of a request. */
export interface CountedRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly attributes: Attributes;
  /** Nobody serves it: its labels would be the client's words. */
  readonly isUnknown: boolean;
  /** The API server itself asks. */
  readonly isOwn: boolean;
}

/** What requests have in common that are counted together. */
interface Traits extends Pick<Attributes, 'verb' | 'group' | 'version' | 'resource'> {
  readonly method: string;
  /** The subresource, or the label of a path. */
  readonly part: string;
  readonly scope: string;
  readonly isApply: boolean;
  readonly dryRun: string;
  readonly isUnknown: boolean;
}

/** The series of requests that are alike. */
interface Alike {
  readonly traits: Traits;
  readonly seconds: HistogramSeries;
  /** Undefined of dry runs. */
  readonly sliSeconds: HistogramSeries | undefined;
  /** Only of reads. */
  readonly sizes: HistogramSeries | undefined;
  readonly bodyBytes: HistogramSeries | undefined;
  readonly byCode: Map<number, CounterSeries>;
  readonly labels: readonly string[];
}

const alikeMax = 20_000;
const connections: ReadonlySet<string> = new Set(['log', 'exec', 'portforward', 'attach', 'proxy']);
const verbs: ReadonlySet<string> = new Set(
  'APPLY CONNECT DELETE DELETECOLLECTION GET LIST PATCH POST PUT WATCH'.split(' '),
);

/** Counts requests under upstream's names. */
export class RequestMetrics {
  readonly #families: RequestFamilies;
  /** By resource: each has few, and comparing them costs less than making a key of a request. */
  readonly #alike = new Map<string, Alike[]>();
  #alikeCount = 0;

  constructor(registry: MetricsRegistry) {
    this.#families = requestFamilies(registry);
    registry.onForget(() => {
      this.#alike.clear();
      this.#alikeCount = 0;
    });
    // What monitoring asks for first.
    for (const path of paths) this.#families.sizes.of('GET', '', '', '', path, '', '');
  }

  /** A request that is answered; the series for the size of its answer, where that is counted. */
  observe(request: CountedRequest, code: number, durationMs: number, queuedMs: number): HistogramSeries | undefined {
    const { attributes, isOwn } = request;
    const alike = this.#alikeOf(request);
    let counter = alike.byCode.get(code);
    if (!counter) {
      counter = this.#families.total.of(...withDryRun(alike), String(code));
      alike.byCode.set(code, counter);
    }
    counter.add();
    alike.seconds.observe(durationMs / 1000);
    alike.sliSeconds?.observe((durationMs - queuedMs) / 1000);
    const length = alike.bodyBytes && Number(request.headers['content-length']);
    if (length) alike.bodyBytes.observe(length);
    if (isOwn) {
      const { group, resource, subresource } = attributes;
      this.#families.own.of(alike.labels[0]!, group, resource, subresource).add();
    }
    return alike.sizes;
  }

  /** The gauge of requests of that kind that go on for long: watches and connections. */
  longRunning(request: CountedRequest): GaugeSeries {
    return this.#families.longRunning.of(...this.#alikeOf(request).labels);
  }

  /** A resource that can be watched: there are no watches of it so far. */
  expectWatches(group: string, version: string, resource: string): void {
    this.#families.longRunning.of('WATCH', group, version, resource, '', 'cluster', 'apiserver');
  }

  /** Someone asked for an API that will be removed. */
  deprecated({ group, version, resource, subresource }: Attributes, removedRelease: string): void {
    this.#families.deprecated.of(group, version, resource, subresource, removedRelease).set(1);
  }

  #alikeOf({ method, attributes, isUnknown, query, headers }: CountedRequest): Alike {
    const { verb, group, version, resource, subresource, path } = attributes;
    // What is nobody's has the same labels, whatever the client called it: its words must not fill this map.
    const traits = {
      verb,
      method: reportedMethod(method),
      group: isUnknown ? '' : group,
      version: isUnknown ? '' : version,
      resource: isUnknown ? '' : resource,
      part: isUnknown ? '' : resource ? subresource : pathLabel(path),
      scope: scopeOf(attributes),
      isApply: method === 'PATCH' && headers['content-type']?.startsWith('application/apply-patch') === true,
      dryRun: query.has('dryRun') ? dryRunOf(query) : '',
      isUnknown,
    };
    const ofResource = this.#alike.get(traits.resource) ?? [];
    const known = ofResource.find((alike) => sameTraits(alike.traits, traits));
    if (known) return known;
    const alike = this.#make(traits, attributes);
    if (this.#alikeCount >= alikeMax) return alike;
    this.#alikeCount += 1;
    if (ofResource.push(alike) === 1) this.#alike.set(traits.resource, ofResource);
    return alike;
  }

  #make(traits: Traits, attributes: Attributes): Alike {
    const { group, version, resource, part, scope, method, isApply, dryRun, isUnknown } = traits;
    const verb = reportedVerb(method, attributes, isApply);
    const rest = isUnknown
      ? ['', '', '', '', '', '']
      : [group, version, resource, part, scope, resource && 'apiserver'];
    const labels = [verb, ...rest];
    const { seconds, sliSeconds, sizes, bodyBytes } = this.#families;
    const isRead = verb === 'GET' || verb === 'LIST';
    const hasBody = resource !== '' && (method === 'POST' || method === 'PUT' || method === 'PATCH');
    return {
      traits,
      labels,
      seconds: seconds.of(verb, dryRun, ...rest),
      sliSeconds: dryRun === '' ? sliSeconds.of(...labels) : undefined,
      sizes: isRead ? sizes.of(...labels) : undefined,
      bodyBytes: hasBody ? bodyBytes.of(resource, attributes.verb, group) : undefined,
      byCode: new Map(),
    };
  }
}

const sameTraits = (a: Traits, b: Traits): boolean =>
  a.verb === b.verb &&
  a.scope === b.scope &&
  a.part === b.part &&
  a.version === b.version &&
  a.group === b.group &&
  a.method === b.method &&
  a.isApply === b.isApply &&
  a.dryRun === b.dryRun &&
  a.isUnknown === b.isUnknown;

function withDryRun({ labels: [verb = '', ...rest], traits }: Alike): string[] {
  return [verb, traits.dryRun, ...rest];
}

function scopeOf({ name, verb, namespace, resource }: Attributes): string {
  if (name !== '' || (verb === 'create' && resource !== '')) return 'resource';
  if (namespace !== '') return 'namespace';
  return resource === '' ? '' : 'cluster';
}

/** The method, but for lists, watches, applies, connections and deletions of many, as upstream tells them apart. */
function reportedVerb(method: string, { verb, subresource }: Attributes, isApply: boolean): string {
  if (connections.has(subresource)) return 'CONNECT';
  if (verb === 'list' || verb === 'watch') return verb.toUpperCase();
  if (verb === 'deletecollection') return 'DELETECOLLECTION';
  return isApply ? 'APPLY' : method;
}

function reportedMethod(method: string): string {
  const plain = method === 'HEAD' ? 'GET' : method;
  return verbs.has(plain) ? plain : 'other';
}

const paths: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/metrics', '/version']);

/** Only paths that are fixed are named. */
function pathLabel(path: string): string {
  if (paths.has(path)) return path;
  if (path.startsWith('/openapi/v3')) return 'openapi/v3';
  return path === '/openapi/v2' ? 'openapi/v2' : '';
}

const dryRunOf = (query: URLSearchParams): string =>
  query.getAll('dryRun').every((value) => value === 'All') ? 'All' : 'invalid';
