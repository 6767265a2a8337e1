/** One client that writes objects of a namespace of its own, and keeps a ledger of what was acknowledged. */
import assert from 'node:assert/strict';
import type { Random } from '@kubernode/machinery';
import { Lost, type Answer, type Api, type Sent } from './kill-api.ts';
import { byKey, Ledger, type Pending, type Tracked } from './kill-ledger.ts';
import { change, collectionPath, make, resources, type Resource, type Thing } from './kill-resources.ts';

const namesMax = 6;
let lastNumber = 0;

interface Target {
  readonly ledger: Ledger;
  readonly tracked: Tracked;
  readonly key: string;
  readonly name: string;
  readonly path: string;
}

export class Writer {
  readonly namespace: string;
  readonly ledgers: readonly Ledger[];
  readonly #api: Api;
  readonly #random: Random;
  /** Requests that were answered, by what they were. */
  readonly counts: Map<string, number>;

  constructor(namespace: string, api: Api, random: Random, uids: Map<string, string>, counts: Map<string, number>) {
    this.namespace = namespace;
    this.ledgers = resources.map((resource) => new Ledger(resource, uids));
    this.#api = api;
    this.#random = random;
    this.counts = counts;
  }

  /** Writes until the signal, or until the server is gone. Throws what the ledger finds. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#step();
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
  }

  async #step(): Promise<void> {
    const ledger = this.ledgers[this.#below(this.ledgers.length)]!;
    const name = `o${this.#below(namesMax)}`;
    const key = `${this.namespace}/${name}`;
    const path = collectionPath(ledger.resource, this.namespace);
    const target = { ledger, tracked: ledger.of(key), key, name, path };
    const choice = this.#random();
    if (choice < 0.01) return this.#deleteAll(target);
    if (!target.tracked.known) return choice < 0.3 ? this.#apply(target) : this.#create(target);
    if (choice < 0.15 || target.tracked.known.metadata.deletionTimestamp) return this.#delete(target);
    if (choice < 0.4) return this.#patch(target);
    if (choice < 0.6) return this.#apply(target);
    if (choice < 0.8 && ledger.resource.statusField) return this.#putStatus(target);
    return choice < 0.63 ? this.#putStale(target) : this.#put(target);
  }

  #create(target: Target): Promise<void> {
    const pending = { verb: 'create', n: (lastNumber += 1) } as const;
    const body = make(target.ledger.resource, target.name, pending.n);
    return this.#write(target, pending, { method: 'POST', path: target.path, body });
  }

  #apply(target: Target): Promise<void> {
    const pending: Pending = { verb: target.tracked.known ? 'change' : 'create', n: (lastNumber += 1) };
    const body = make(target.ledger.resource, target.name, pending.n);
    const path = `${target.path}/${target.name}?fieldManager=kill&force=true`;
    return this.#write(target, pending, { method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' });
  }

  #patch(target: Target): Promise<void> {
    const pending = { verb: 'change', n: (lastNumber += 1) } as const;
    const body = change(target.ledger.resource, target.name, pending.n);
    const contentType = 'application/merge-patch+json';
    return this.#write(target, pending, { method: 'PATCH', path: `${target.path}/${target.name}`, body, contentType });
  }

  #put(target: Target): Promise<void> {
    const pending = { verb: 'change', n: (lastNumber += 1) } as const;
    return this.#write(target, pending, {
      method: 'PUT',
      path: `${target.path}/${target.name}`,
      body: this.#changed(target, pending.n),
    });
  }

  /** Optimistic locking, with a version that is not there any more. */
  async #putStale(target: Target): Promise<void> {
    const body = this.#changed(target, (lastNumber += 1));
    body.metadata.resourceVersion = '1';
    const { code, text } = await this.#send({ method: 'PUT', path: `${target.path}/${target.name}`, body });
    assert.equal(code, 409, text);
  }

  #changed({ ledger, tracked, name }: Target, n: number): Thing {
    const { metadata, ...content } = change(ledger.resource, name, n) as Thing;
    const body = { ...structuredClone(tracked.known!), ...content };
    Object.assign(body.metadata.labels, metadata.labels);
    Object.assign(body.metadata.annotations, metadata.annotations);
    return body;
  }

  #putStatus(target: Target): Promise<void> {
    const pending = { verb: 'status', n: (lastNumber += 1) } as const;
    const body = structuredClone(target.tracked.known!);
    body.status = { ...body.status, [target.ledger.resource.statusField!]: String(pending.n) };
    return this.#write(target, pending, { method: 'PUT', path: `${target.path}/${target.name}/status`, body });
  }

  async #write({ ledger, tracked, key }: Target, pending: Pending, sent: Sent): Promise<void> {
    tracked.pending = pending;
    const { code, text } = await this.#send(sent);
    assert.ok(
      code === 200 || code === 201,
      `${sent.method} ${sent.path} was answered ${code}: ${text} (${tracked.trail.join(', ')})`,
    );
    ledger.acknowledge(key, JSON.parse(text) as Thing, pending);
  }

  async #delete({ ledger, tracked, key, name, path }: Target): Promise<void> {
    tracked.pending = { verb: 'delete', n: 0 };
    const { uid } = tracked.known!.metadata;
    const body = { gracePeriodSeconds: 0, preconditions: { uid } };
    const { code, text } = await this.#send({ method: 'DELETE', path: `${path}/${name}`, body });
    assert.equal(code, 200, `DELETE ${path}/${name} was answered ${code}: ${text} (${tracked.trail.join(', ')})`);
    ledger.gone(key);
  }

  async #deleteAll({ ledger, path }: Target): Promise<void> {
    // Services cannot be deleted as a collection by old clients; here all can.
    for (const tracked of ledger.objects.values()) if (tracked.known) tracked.pending = { verb: 'delete', n: 0 };
    const { code, text } = await this.#send({ method: 'DELETE', path, body: { gracePeriodSeconds: 0 } });
    assert.equal(code, 200, `DELETE ${path} was answered ${code}: ${text}`);
    for (const key of ledger.objects.keys()) ledger.gone(key);
  }

  async #send(sent: Sent): Promise<Answer> {
    const answer = await this.#api.send(sent);
    const kind = `${sent.method}${sent.contentType?.includes('apply') ? ' (apply)' : ''} ${answer.code}`;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return answer;
  }

  /** `found`: all objects of a resource. */
  settle(resource: Resource, found: readonly Thing[]): void {
    const own = found.filter(({ metadata }) => metadata.namespace === this.namespace);
    this.ledgers.find((ledger) => ledger.resource === resource)!.settle(byKey(own));
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }
}
