import { isReason } from '@kubernode/api';
import { Lease } from '@kubernode/api/coordination/v1';
import { Node, type NodeStatus } from '@kubernode/api/core/v1';
import type { Cri } from '@kubernode/api/cri';
import type { Client, EventRecorder } from '@kubernode/client';
import { Backoff, deepEqual, formatMicroTime, preciseNow, sleep, type Clock, type Logger } from '@kubernode/machinery';
import { newNode, nodeLabels, nodeStatus, type NodeFacts, type NodeHealth } from './node-object.ts';

export interface NodeAgentOptions {
  readonly client: Client;
  readonly cri: Cri;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly facts: NodeFacts;
  readonly recorder: EventRecorder;
  readonly registerNode: boolean;
}

const leaseSeconds = 40;
const leaseRenewMs = 10_000;
const statusCheckMs = 10_000;
const statusReportMs = 300_000;

/** Registers the node, keeps its Lease alive every 10 s, and its status true: at once on change, else every 5 min. */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  readonly #stopped = new AbortController();
  #node: Node | undefined;
  #reportedAtMs = 0;
  #podCidr = '';
  #ready: boolean | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: NodeAgentOptions) {
    this.#options = options;
  }

  /** The node's object as this kubelet wrote or found it last. */
  get node(): Node {
    if (!this.#node) throw new Error('the node is not registered yet');
    return this.#node;
  }

  /** Resolves once the node is registered; rejects for a failure that trying again does not mend. */
  async start(): Promise<void> {
    this.#event('Starting', 'Starting kubelet.');
    await this.#untilDone('node not registered', () => this.#register());
    this.#tellReadiness();
    const every = async (periodMs: number, what: string, step: () => Promise<void>) => {
      while (!this.#stopped.signal.aborted) {
        await step().catch((error: unknown) => this.#options.log.warn(what, { error: String(error) }));
        await sleep(this.#options.clock, periodMs, this.#stopped.signal).catch(() => {});
      }
    };
    this.#running = Promise.all([
      every(leaseRenewMs, 'node lease not renewed', () => this.#renewLease()),
      every(statusCheckMs, 'node status not updated', () => this.#report()),
    ]);
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error('the kubelet stops'));
    await this.#running;
  }

  async #untilDone(what: string, step: () => Promise<void>): Promise<void> {
    const { clock, random, log } = this.#options;
    const backoff = new Backoff({ initialMs: 200, maxMs: 7_000, random });
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if (isReason(error, 'Unauthorized', 'Forbidden', 'Invalid')) throw error;
        log.warn(what, { error: String(error) });
        await sleep(clock, backoff.next(), this.#stopped.signal);
      }
    }
  }

  async #register(): Promise<void> {
    const { client, clock, facts, registerNode } = this.#options;
    const existing = await this.#get();
    const health = await this.#health();
    if (!existing) {
      if (!registerNode)
        throw new Error(`node "${facts.nodeName}" is not there, and this kubelet does not register it`);
      const created = newNode(facts, health, clock.now());
      this.#node = await client.create(Node, created);
      this.#reportedAtMs = clock.now();
      return;
    }
    this.#node = existing;
    const labels = nodeLabels(facts);
    const wrong = Object.entries(labels).some(([key, value]) => existing.metadata.labels?.[key] !== value);
    if (wrong) {
      const body = { metadata: { labels } };
      this.#node = await client.patch(Node, { name: facts.nodeName }, { type: 'strategic', body });
    }
    await this.#write(nodeStatus(facts, health, existing.status, clock.now()));
  }

  async #get(): Promise<Node | undefined> {
    try {
      return await this.#options.client.get(Node, this.#options.facts.nodeName);
    } catch (error) {
      if (isReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #report(): Promise<void> {
    const { clock, facts } = this.#options;
    const health = await this.#health();
    const current = await this.#get();
    if (!current) return this.#register();
    this.#node = current;
    await this.#tellPodRange();
    const status = nodeStatus(facts, health, current.status, clock.now());
    const due = clock.now() - this.#reportedAtMs >= statusReportMs;
    if (due || !deepEqual(withoutHeartbeats(status), withoutHeartbeats(pick(current.status, status)))) {
      await this.#write(status);
    }
  }

  /** Runtimes that make the pods' network themselves want to know its range. */
  async #tellPodRange(): Promise<void> {
    const { spec } = this.node;
    const podCidr = spec.podCIDRs?.join(',') || (spec.podCIDR ?? '');
    if (podCidr === '' || podCidr === this.#podCidr) return;
    this.#podCidr = podCidr;
    try {
      await this.#options.cri.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr } } });
    } catch (error) {
      this.#options.log.info("the runtime does not take the pods' range", { podCidr, error: String(error) });
    }
  }

  async #write(status: NodeStatus): Promise<void> {
    const { client, clock, facts } = this.#options;
    const body = { status: { ...status, addresses: [{ $patch: 'replace' }, ...(status.addresses ?? [])] } };
    const target = { name: facts.nodeName, subresource: 'status' };
    this.#node = await client.patch(Node, target, { type: 'strategic', body });
    this.#reportedAtMs = clock.now();
    this.#tellReadiness();
  }

  /** An event whenever the node turns ready or not. */
  #tellReadiness(): void {
    const ready = this.node.status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
    if (ready === this.#ready) return;
    this.#ready = ready;
    const reason = ready ? 'NodeReady' : 'NodeNotReady';
    this.#event(reason, `Node ${this.#options.facts.nodeName} status is now: ${reason}`);
  }

  /** Events on nodes carry the name as uid, by an old custom of upstream's. */
  #event(reason: string, message: string): void {
    const { nodeName: name } = this.#options.facts;
    this.#options.recorder.event({ kind: 'Node', apiVersion: 'v1', name, uid: name }, 'Normal', reason, message);
  }

  async #health(): Promise<NodeHealth> {
    const { cri, log } = this.#options;
    try {
      const [{ status }, { images }] = await Promise.all([cri.status({}), cri.listImages({})]);
      const problems = (status?.conditions ?? [])
        .filter(({ status: fine }) => !fine)
        .map(({ type, reason, message }) =>
          type === 'NetworkReady'
            ? `container runtime network not ready: NetworkReady=false reason:${reason} message:${message}`
            : `container runtime not ready: ${type}=false reason:${reason} message:${message}`,
        );
      return { images, problems };
    } catch (error) {
      log.warn('container runtime does not answer', { error: String(error) });
      return { images: [], problems: [`container runtime is down: ${String(error)}`] };
    }
  }

  async #renewLease(): Promise<void> {
    const { client, clock, facts } = this.#options;
    const { nodeName: name } = facts;
    const namespace = 'kube-node-lease';
    const renewTime = formatMicroTime(preciseNow(clock));
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
    try {
      await client.patch(Lease, { name, namespace }, { type: 'merge', body: { spec } });
    } catch (error) {
      if (!isReason(error, 'NotFound')) throw error;
      const owner = { apiVersion: 'v1', kind: 'Node', name, uid: this.node.metadata.uid };
      await client.create(Lease, { metadata: { name, namespace, ownerReferences: [owner] }, spec });
    }
  }
}

/** What counts when two statuses are compared: no heartbeats, and no order of conditions. */
function withoutHeartbeats(status: NodeStatus): NodeStatus {
  const conditions = (status.conditions ?? []).map((condition) => ({ ...condition, lastHeartbeatTime: '' }));
  return { ...status, conditions: conditions.sort((a, b) => (a.type < b.type ? -1 : 1)) };
}

/** The fields that the kubelet writes, out of what the API has. */
function pick(current: NodeStatus, own: NodeStatus): NodeStatus {
  const entries = Object.keys(own).map((key) => [key, current[key as keyof NodeStatus]]);
  return Object.fromEntries(entries) as unknown as NodeStatus;
}
