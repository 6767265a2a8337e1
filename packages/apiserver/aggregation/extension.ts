import type { Transport } from '@kubernode/api';
import { withStatusCondition, type Clock, type Logger } from '@kubernode/machinery';
import type { Destination } from '../outbound/destination.ts';
import type { ClusterState } from '../seams.ts';
import {
  availableCondition,
  isAvailable,
  writeConditions,
  type Availability,
  type RemoteAPIService,
} from './api-service.ts';
import type { ExtensionClient } from './extension-client.ts';
import type { QueueMetrics } from '../metrics/workqueue.ts';
import type { AggregationMetrics } from './metrics.ts';
import { remoteDiscovery, type VersionDiscovery } from './remote-discovery.ts';
import { remoteOpenApi, type RemoteOpenApi } from './remote-openapi.ts';
import { serviceProblem } from './service-check.ts';

/** A group version that an extension server serves. */
export interface RemoteVersion {
  /** Of the APIService. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly destination: Destination;
  /** Requests are sent on. */
  readonly isAvailable: boolean;
  /** What it last said of itself; undefined as long as it never answered. */
  readonly discovery: VersionDiscovery | undefined;
  /** `discovery` is of its last answer. */
  readonly isCurrent: boolean;
  readonly openApi: RemoteOpenApi | undefined;
  /** It did not answer: whether it is there at all is looked at again. */
  checkSoon(): void;
}

export interface ExtensionContext {
  readonly state: ClusterState;
  readonly clock: Clock;
  readonly log: Logger;
  readonly transport: Transport;
  readonly client: ExtensionClient;
  readonly destination: Destination;
  readonly metrics: AggregationMetrics;
  readonly queue: QueueMetrics;
  /** What others read of it is another. */
  readonly changed: () => void;
}

/** A server that works is asked again after this long, also for its documents. */
const resyncMs = 30_000;
const firstRetryMs = 1_000;
const answerMs = 5_000;
/** One of several endpoints may be down: that many are asked before the server is. */
const attempts = 5;

/** One APIService's extension server: whether it answers, and what it serves. */
export class Extension implements RemoteVersion {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly destination: Destination;
  object: RemoteAPIService;
  isAvailable: boolean;
  discovery: VersionDiscovery | undefined;
  isCurrent = false;
  openApi: RemoteOpenApi | undefined;
  readonly #context: ExtensionContext;
  #cancel = () => {};
  #isStopped = false;
  #isChecking = false;
  #isDirty = false;
  #isQueued = false;
  #retryMs = firstRetryMs;

  constructor(object: RemoteAPIService, context: ExtensionContext) {
    this.object = object;
    this.name = object.metadata.name;
    this.group = object.spec.group ?? '';
    this.version = object.spec.version ?? '';
    this.destination = context.destination;
    this.isAvailable = isAvailable(object);
    this.#context = context;
  }

  start(): void {
    this.checkSoon();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    this.#taken();
    this.#context.metrics.unavailable.remove(this.name);
  }

  /** Its object is another, its spec is not. Answers whether others see a difference. */
  observe(object: RemoteAPIService, available: boolean): boolean {
    this.object = object;
    const isOther = this.isAvailable !== available;
    this.isAvailable = available;
    return isOther;
  }

  /** Looks again; changes that come while it looks make it look once more. */
  checkSoon(): void {
    this.#isDirty = true;
    if (this.#isChecking || this.#isStopped) return;
    this.#cancel();
    if (!this.#isQueued) this.#context.queue.added();
    this.#isQueued = true;
    this.#cancel = this.#context.clock.after(0, () => void this.#check());
  }

  #taken(): void {
    if (this.#isQueued) this.#context.queue.taken();
    this.#isQueued = false;
  }

  async #check(): Promise<void> {
    this.#taken();
    this.#isChecking = true;
    this.#isDirty = false;
    const { log } = this.#context;
    let isGood = false;
    try {
      const found = await this.#availability();
      if (this.#isStopped) return;
      isGood = found.status === 'True';
      await this.#say(found);
      await this.#read(isGood);
    } catch (error) {
      log.warn('an extension API server could not be checked', { apiservice: this.name, error: String(error) });
    } finally {
      this.#isChecking = false;
    }
    if (this.#isStopped) return;
    if (this.#isDirty) return this.checkSoon();
    this.#retryMs = isGood ? firstRetryMs : Math.min(this.#retryMs * 2, resyncMs);
    this.#cancel = this.#context.clock.after(isGood ? resyncMs : this.#retryMs, () => void this.#check());
  }

  async #availability(): Promise<Availability> {
    const problem = serviceProblem(this.object, this.#context.state);
    if (problem) return problem;
    const ask = () => this.#ask();
    try {
      await ask().catch(() => Promise.any(Array.from({ length: attempts - 1 }, ask)));
      return { status: 'True', reason: 'Passed', message: 'all checks passed' };
    } catch (error) {
      const [first] = error instanceof AggregateError ? (error.errors as readonly Error[]) : [error as Error];
      return { status: 'False', reason: 'FailedDiscoveryCheck', message: first?.message ?? String(error) };
    }
  }

  /** Throws what keeps the server from answering for its group version. */
  async #ask(): Promise<void> {
    const path = this.group ? `/apis/${this.group}/${this.version}` : `/api/${this.version}`;
    const { host, port } = this.destination.address();
    const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
    let status: number;
    try {
      ({ status } = await this.#context.client.get(this.destination, path, { timeoutMs: answerMs }));
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`failing or missing response from ${url}: ${message}`, { cause: error });
    }
    if (status >= 200 && status < 300) return;
    throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
  }

  /** Writes the condition where it says something else. */
  async #say(found: Availability): Promise<void> {
    const { metrics, transport, clock } = this.#context;
    metrics.unavailable.of(this.name).set(found.status === 'True' ? 0 : 1);
    const known = availableCondition(this.object);
    const isSame = known?.status === found.status && known.reason === found.reason && known.message === found.message;
    if (isSame) return;
    if (found.status !== 'True' && known?.status !== found.status) {
      metrics.becameUnavailable.of(this.name, found.reason).add();
    }
    const { conditions = [] } = this.object.status ?? {};
    const next = withStatusCondition(conditions, { type: 'Available', ...found }, clock.now());
    await writeConditions(transport, this.object, next);
  }

  /** What it serves, as it says itself; the last word counts while it is silent. */
  async #read(isGood: boolean): Promise<void> {
    const { client, changed } = this.#context;
    const before = JSON.stringify([this.discovery, this.isCurrent, this.openApi?.etag]);
    try {
      if (!isGood) throw new Error('not available');
      this.discovery = await remoteDiscovery(client, this.destination, this.group, this.version);
      this.isCurrent = true;
      this.openApi = await remoteOpenApi(client, this.destination, this.group, this.version, this.openApi);
    } catch {
      this.isCurrent = isGood && this.isCurrent;
    }
    if (JSON.stringify([this.discovery, this.isCurrent, this.openApi?.etag]) !== before) changed();
  }
}
