/** The clients of the kill test together, and what must hold of what all of them saw. */
import assert from 'node:assert/strict';
import type { Random } from '@kubernode/machinery';
import { http1, http2, type Api, type Place } from './kill-api.ts';
import { Follower, isOwn, type FollowerOptions, type Seen } from './kill-follower.ts';
import { byKey, type Acknowledged } from './kill-ledger.ts';
import { collectionPath, make, resources, widgetDefinition, type Resource, type Thing } from './kill-resources.ts';
import { Writer } from './kill-writer.ts';

const writersMax = 16;
/** What no Service has any more is cleaned up after a minute; the rest is for the cleaning. */
const leakedMsMax = 90_000;
const reachedMsMax = 60_000;

export class World {
  readonly counts = new Map<string, number>();
  /** Events that were compared. */
  compared = 0;
  gaps = 0;
  readonly writers: readonly Writer[];
  readonly followers: readonly Follower[];
  readonly #api: Api;
  readonly #apis: Api[] = [];
  /** By resource: what happened at a revision, as whoever saw it first was told. */
  readonly #seen = new Map<Resource, Map<number, Seen>>(resources.map((resource) => [resource, new Map()]));
  /** All resources share their revisions. */
  readonly #owners = new Map<number, string>();
  #newest = 0;
  #marks = 0;

  constructor(place: Place, random: Random) {
    const api = (make: (place: Place) => Api) => {
      const made = make(place);
      this.#apis.push(made);
      return made;
    };
    const uids = new Map<string, string>();
    this.#api = api(http1);
    this.writers = Array.from({ length: writersMax }, (_, index) => {
      return new Writer(`w-${index}`, api(index % 2 ? http2 : http1), random, uids, this.counts);
    });
    const onEvent: FollowerOptions['onEvent'] = (resource, event) => this.#note(resource, event);
    this.followers = followerOptions().map((options) => {
      const own = api(options.isHttp2 ? http2 : http1);
      return new Follower({ ...options, api: own, random, onEvent });
    });
  }

  /** Namespaces with what pods need, and the custom resource. */
  async prepare(): Promise<void> {
    const post = async (path: string, body: object) => {
      const { code, text } = await this.#api.send({ method: 'POST', path, body });
      assert.equal(code, 201, text);
    };
    for (const namespace of [...this.writers.map((writer) => writer.namespace), marks]) {
      await post('/api/v1/namespaces', { metadata: { name: namespace } });
      await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
    }
    await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition);
    const widgets = resources.find(({ plural }) => plural === 'widgets')!;
    // It is served a moment after it was made.
    while ((await this.#api.send({ method: 'GET', path: collectionPath(widgets) })).code === 404) continue;
  }

  /** Throws where anything is lost, there twice, or of nobody. `mayExpire`: the past may have been forgotten. */
  async check(mayExpire: boolean): Promise<void> {
    const found = new Map<Resource, readonly Thing[]>();
    for (const resource of resources) {
      const items = await this.#list(collectionPath(resource));
      found.set(resource, items);
      for (const writer of this.writers) writer.settle(resource, items);
    }
    await this.#checkFollowers(mayExpire);
    await this.#checkAddresses(found.get(resources.find(({ plural }) => plural === 'services')!)!);
  }

  close(): void {
    for (const api of this.#apis) api.close();
  }

  async #list(path: string): Promise<readonly Thing[]> {
    const { code, text } = await this.#api.send({ method: 'GET', path });
    assert.equal(code, 200, text);
    const { items, metadata } = JSON.parse(text) as { items: Thing[]; metadata: { resourceVersion: string } };
    const revision = Number(metadata.resourceVersion);
    assert.ok(revision >= this.#newest, `the list of ${path} is at ${revision}, ${this.#newest} was seen before`);
    this.#newest = revision;
    return items;
  }

  #note(resource: Resource, event: Seen): void {
    const { revision, key, uid } = event;
    const what = `${resource.plural} ${key} ${uid}`;
    const owner = this.#owners.get(revision) ?? what;
    assert.equal(what, owner, `resourceVersion ${revision} was given twice`);
    this.#owners.set(revision, what);
    this.#newest = Math.max(this.#newest, revision);
    this.#seen.get(resource)!.set(revision, event);
  }

  async #checkFollowers(mayExpire: boolean): Promise<void> {
    for (const resource of resources) {
      const last = await this.#mark(resource);
      const lastOf = (follower: Follower) => last.findLast(({ key }) => follower.sees(key))!.revision;
      const followers = this.followers.filter((follower) => follower.resource === resource);
      for (const follower of followers) await this.#reached(follower, lastOf(follower));
      const seen = this.#seen.get(resource)!;
      const items = byKey((await this.#list(collectionPath(resource))).filter(isOwn));
      for (const writer of this.writers) {
        const ledger = writer.ledgers.find((each) => each.resource === resource)!;
        const hasFull = followers.some((follower) => follower.gaps === 0);
        for (const { revision, key } of ledger.acknowledged) {
          if (hasFull) assert.equal(seen.get(revision)?.key, key, `no watch told of ${key} at ${revision}`);
        }
        ledger.acknowledged = [];
      }
      for (const follower of followers) this.#compare(follower, seen, items, mayExpire);
      seen.clear();
    }
    this.#owners.clear();
  }

  #compare(follower: Follower, seen: Map<number, Seen>, items: Map<string, Thing>, mayExpire: boolean): void {
    const { name, from } = follower;
    assert.ok(mayExpire || follower.gaps === 0, `${name}: was told that its version is too old`);
    const expected = [...seen.values()].filter(({ revision, key }) => revision > from && follower.sees(key));
    const told = (events: readonly Seen[]) =>
      events.toSorted((a, b) => a.revision - b.revision).map(({ type, key, revision }) => `${type} ${key} ${revision}`);
    assert.deepEqual(told(follower.events), told(expected), `${name}: other events than others were told`);
    const there = [...items].filter(([key]) => follower.sees(key));
    const versions = there.map(([key, { metadata }]) => [key, metadata.resourceVersion]);
    assert.deepEqual(Object.fromEntries(follower.replica), Object.fromEntries(versions), `${name}: not what is there`);
    this.compared += expected.length;
    this.gaps += follower.gaps;
    follower.gaps = 0;
    follower.events = [];
  }

  async #reached(follower: Follower, revision: number): Promise<void> {
    const late = Promise.withResolvers<never>();
    const why = () => new Error(`${follower.name} is at ${follower.revision}, and not told of ${revision}`);
    const timer = setTimeout(() => late.reject(why()), reachedMsMax);
    await Promise.race([follower.reached(revision), late.promise]).finally(() => clearTimeout(timer));
  }

  /** A last change that all who watch the resource must see: one for each selection. */
  async #mark(resource: Resource): Promise<readonly Acknowledged[]> {
    const made: Acknowledged[] = [];
    const places = [marks, ...new Set(this.followers.map(({ namespace }) => namespace).filter((each) => each !== ''))];
    for (const namespace of places) {
      for (const name of ['o100', 'o101']) {
        const body = make(resource, name, (this.#marks += 1));
        const path = `${collectionPath(resource, namespace)}/${name}?fieldManager=mark&force=true`;
        const contentType = 'application/apply-patch+yaml';
        const { code, text } = await this.#api.send({ method: 'PATCH', path, body, contentType });
        assert.ok(code === 200 || code === 201, text);
        const revision = Number((JSON.parse(text) as Thing).metadata.resourceVersion);
        made.push({ revision, key: `${namespace}/${name}` });
      }
    }
    return made;
  }

  /** An address or port has one Service, and a Service's address is written down as its own. */
  async #checkAddresses(services: readonly Thing[]): Promise<void> {
    const owners = new Map<string, string>();
    const own = (what: string, key: string) => {
      assert.equal(owners.get(what), undefined, `${what} was given to ${owners.get(what)} and to ${key}`);
      owners.set(what, key);
    };
    for (const { metadata, spec } of services) {
      const key = `${metadata.namespace}/${metadata.name}`;
      own(`address ${spec?.clusterIP}`, key);
      for (const { nodePort } of spec?.ports ?? []) if (nodePort) own(`port ${nodePort}`, key);
    }
    for (const { metadata, spec } of await this.#list('/apis/networking.k8s.io/v1/ipaddresses')) {
      const owner = owners.get(`address ${metadata.name}`);
      const ageMs = Date.now() - Date.parse(metadata.creationTimestamp!);
      const parent = `${spec?.parentRef?.namespace}/${spec?.parentRef?.name}`;
      if (owner !== parent) assert.ok(ageMs < leakedMsMax, `address ${metadata.name} of ${parent} is leaked`);
    }
  }
}

const marks = 'marks';

type Choice = Omit<FollowerOptions, 'api' | 'random' | 'onEvent'> & { readonly isHttp2: boolean };

function followerOptions(): readonly Choice[] {
  const [configmaps, pods, services, , widgets] = resources as [Resource, Resource, Resource, Resource, Resource];
  const all = resources.flatMap((resource) => [
    { name: `${resource.plural} over HTTP/1.1`, resource, isHttp2: false },
    { name: `${resource.plural} over HTTP/2`, resource, isHttp2: true },
  ]);
  const streamed = resources.map((resource, index) => {
    return { name: `${resource.plural}, listed by a watch`, resource, isHttp2: index % 2 === 0, streamsList: true };
  });
  return [
    ...all,
    ...streamed,
    { name: 'configmaps in protobuf', resource: configmaps, isHttp2: false, accept: 'protobuf' },
    { name: 'pods in protobuf', resource: pods, isHttp2: true, accept: 'protobuf' },
    { name: 'odd configmaps', resource: configmaps, isHttp2: true, tier: 'odd' },
    { name: 'even widgets', resource: widgets, isHttp2: false, tier: 'even' },
    { name: 'metadata of pods', resource: pods, isHttp2: true, accept: 'metadata' },
    { name: 'metadata of services', resource: services, isHttp2: false, accept: 'metadata' },
    { name: 'configmaps of w-1', resource: configmaps, isHttp2: false, namespace: 'w-1' },
    { name: 'widgets of w-2', resource: widgets, isHttp2: true, namespace: 'w-2' },
  ];
}
