/**
 * One client that lists once and watches from then on, as client-go's reflector does: from the last version that it saw,
 * over lost connections, and with a new list where it is told that this version is too old.
 */
import assert from 'node:assert/strict';
import type { Random } from '@kubernode/machinery';
import { Lost, type Api } from './kill-api.ts';
import { readFrames } from './kill-protobuf.ts';
import { collectionPath, keyOf, tierOf, type Resource, type Thing } from './kill-resources.ts';

export interface FollowerOptions {
  readonly name: string;
  readonly resource: Resource;
  readonly api: Api;
  readonly random: Random;
  readonly accept?: 'metadata' | 'protobuf';
  /** Only objects of this tier, by a label selector. */
  readonly tier?: string;
  readonly namespace?: string;
  /** Begins with a watch that sends what is there first, instead of a list. */
  readonly streamsList?: boolean;
  /** What it saw of the world, told to all. */
  readonly onEvent: (resource: Resource, event: Seen) => void;
}

export interface Seen {
  readonly revision: number;
  readonly type: string;
  readonly key: string;
  readonly uid: string;
}

interface Told {
  readonly type: string;
  readonly object: Thing & { code?: number; message?: string };
}

/** The server writes for itself, too, at any moment: its own Lease. */
export const isOwn = ({ metadata: { namespace } }: Thing): boolean => /^(w-\d+|marks)$/.test(namespace);

const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const initialEventsEnd = 'k8s.io/initial-events-end';
/** Watches end now and then without any trouble. */
const watchSecondsMax = 20;

export class Follower {
  readonly #options: FollowerOptions;
  /** Everything up to here was seen. */
  revision = 0;
  /** key → resourceVersion of what is there, as the events tell. */
  readonly replica = new Map<string, string>();
  /** Since they were looked at last. */
  events: Seen[] = [];
  /** How often it was told that its version is too old. */
  gaps = 0;
  /** Where the events begin: after a list, what was before is not known. */
  from = 0;
  #isSynced = false;
  #waiting: (() => void)[] = [];

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get namespace(): string {
    return this.#options.namespace ?? '';
  }

  get resource(): Resource {
    return this.#options.resource;
  }

  sees(key: string): boolean {
    const { namespace, tier } = this.#options;
    const [ofKey, name = ''] = key.split('/');
    return (!namespace || ofKey === namespace) && (!tier || tierOf(name) === tier);
  }

  /** Follows until the signal; `whenUp` resolves when the server can be asked. Throws what must not be. */
  async run(signal: AbortSignal, whenUp: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!this.#isSynced && !this.#options.streamsList) await this.#list();
        await this.#watch(signal);
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        if (!signal.aborted) await whenUp();
      }
    }
  }

  /** Resolves when it has seen everything up to the revision. */
  async reached(revision: number): Promise<void> {
    while (this.revision < revision) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #path(query: Record<string, string>): string {
    const { resource, namespace, tier } = this.#options;
    const selector: Record<string, string> = tier ? { labelSelector: `tier=${tier}` } : {};
    return `${collectionPath(resource, namespace)}?${new URLSearchParams({ ...selector, ...query }).toString()}`;
  }

  async #list(): Promise<void> {
    const { code, text } = await this.#options.api.send({ method: 'GET', path: this.#path({}) });
    assert.equal(code, 200, `${this.name}: ${text}`);
    const list = JSON.parse(text) as { metadata: { resourceVersion: string }; items: Thing[] };
    this.#begin();
    for (const item of list.items) if (isOwn(item)) this.replica.set(keyOf(item), item.metadata.resourceVersion);
    this.#synced(Number(list.metadata.resourceVersion));
  }

  #begin(): void {
    this.replica.clear();
    this.events = [];
  }

  #synced(revision: number): void {
    assert.ok(revision >= this.revision, `${this.name}: a list at ${revision} after ${this.revision} was seen`);
    this.#isSynced = true;
    this.from = revision;
    this.#advance(revision);
  }

  #advance(revision: number): void {
    this.revision = revision;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { api, accept, random } = this.#options;
    const query: Record<string, string> = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(2 + Math.floor(random() * watchSecondsMax)),
    };
    if (this.#isSynced) query['resourceVersion'] = String(this.revision);
    else {
      Object.assign(query, { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' });
      this.#begin();
    }
    const failed = new AbortController();
    let failure: unknown;
    const read = accept === 'protobuf' ? this.#protobuf() : this.#json();
    const onBytes = (bytes: Buffer) => {
      try {
        if (failure === undefined) read(bytes);
      } catch (error) {
        failure = error;
        failed.abort();
      }
    };
    const type = accept === 'protobuf' ? 'application/vnd.kubernetes.protobuf' : accept && metadataOnly;
    const sent = { method: 'GET', path: this.#path(query), accept: type };
    try {
      await api.stream(sent, onBytes, AbortSignal.any([signal, failed.signal]));
    } finally {
      // oxlint-disable-next-line no-unsafe-finally -- what was read is what went wrong, not how the reading ended
      if (failure !== undefined) throw failure;
    }
  }

  #json(): (bytes: Buffer) => void {
    const rest: Buffer[] = [];
    return (bytes) => {
      const end = bytes.lastIndexOf(10);
      rest.push(end < 0 ? bytes : bytes.subarray(0, end));
      if (end < 0) return;
      for (const line of Buffer.concat(rest.splice(0)).toString().split('\n')) {
        if (line !== '') this.#take(JSON.parse(line) as Told);
      }
      rest.push(bytes.subarray(end + 1));
    };
  }

  #protobuf(): (bytes: Buffer) => void {
    let rest = Buffer.alloc(0);
    return (bytes) => {
      rest = readFrames(Buffer.concat([rest, bytes]), (event) => {
        // Of a Status, only the reason is read: 410 is the one that may come.
        const code = event.kind === 'Status' && event.reason === 'Expired' ? 410 : 0;
        this.#take({ type: event.type, object: { ...(event as unknown as Thing), code } });
      }) as typeof rest;
    };
  }

  #take({ type, object }: Told): void {
    if (type === 'ERROR') {
      assert.equal(object.code, 410, `${this.name}: ${object.message}`);
      this.gaps += 1;
      this.#isSynced = false;
      return;
    }
    const revision = Number(object.metadata.resourceVersion);
    if (type === 'BOOKMARK') {
      assert.ok(revision >= this.revision, `${this.name}: a bookmark at ${revision} after ${this.revision} was seen`);
      if (object.metadata.annotations?.[initialEventsEnd] === 'true') this.#synced(revision);
      else this.#advance(revision);
      return;
    }
    const key = keyOf(object);
    assert.ok(this.sees(key), `${this.name}: an event of ${key}, which was not asked for`);
    if (!isOwn(object)) this.#advance(Math.max(revision, this.revision));
    else if (this.#isSynced) this.#takeChange({ revision, type, key, uid: object.metadata.uid });
    else this.replica.set(key, object.metadata.resourceVersion);
  }

  #takeChange(event: Seen): void {
    const { revision, type, key } = event;
    assert.ok(revision > this.revision, `${this.name}: ${type} ${key} at ${revision} after ${this.revision} was seen`);
    assert.equal(this.replica.has(key), type !== 'ADDED', `${this.name}: ${type} ${key} at ${revision}`);
    if (type === 'DELETED') this.replica.delete(key);
    else this.replica.set(key, String(revision));
    this.events.push(event);
    this.#options.onEvent(this.resource, event);
    this.#advance(revision);
  }
}
