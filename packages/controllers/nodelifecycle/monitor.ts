import { isReason } from '@kubernode/api';
import { Lease } from '@kubernode/api/coordination/v1';
import { Node, Pod } from '@kubernode/api/core/v1';
import type { Informer } from '@kubernode/client';
import type { Component } from '@kubernode/machinery';
import type { ControllerContext } from '../built-in.ts';
import { patchPodCondition } from '../shared/pod-conditions.ts';
import { isReady } from '../shared/pods.ts';
import { withKind } from '../shared/owner-reference.ts';
import { podsOnNode } from '../shared/pods-on-node.ts';
import { isSilent, observe, readyCondition, unknownConditions, type NodeHealth } from './health.ts';
import { hasNoExecuteTaint, notReadyTaint, unreachableTaint, withNoExecuteTaint } from './taints.ts';
import { taintsPerSecond, zoneOf, zoneStates } from './zones.ts';

/** Upstream's `--node-monitor-period`. */
const periodMs = 5_000;
const leaseNamespace = 'kube-node-lease';

/**
 * Every five seconds: which nodes fell silent, and which of those that are not ready get the taint that evicts their
 * pods, a few at a time in each zone.
 */
export class NodeMonitor implements Component {
  readonly name = 'node-monitor';
  readonly #context: ControllerContext;
  readonly #nodes: Informer<Node>;
  readonly #leases: Informer<Lease>;
  readonly #pods: Informer<Pod>;
  readonly #health = new Map<string, NodeHealth>();
  readonly #known = new Map<string, string>();
  /** When the next node of a zone may be tainted. */
  readonly #nextTaintMs = new Map<string, number>();
  /** Nodes whose pods could not all be told. */
  readonly #toRetry = new Set<string>();
  #isStopped = false;
  #cancel = () => {};
  #pass: Promise<void>;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#nodes = context.informers.for(Node);
    this.#leases = context.informers.for(Lease, { namespace: leaseNamespace });
    this.#pods = context.informers.for(Pod);
    const synced = Promise.all([this.#nodes.synced, this.#leases.synced, this.#pods.synced]);
    this.#pass = synced.then(
      () => this.#run(),
      () => {},
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    // Where the informers were stopped first, it ends by itself.
    if (this.#nodes.hasSynced && this.#leases.hasSynced && this.#pods.hasSynced) await this.#pass;
  }

  async #run(): Promise<void> {
    if (this.#isStopped) return;
    await this.#checkAll().catch((error: unknown) => {
      this.#context.log.warn('Nodes could not be checked, trying again', { error });
    });
    if (this.#isStopped) return;
    this.#cancel = this.#context.clock.after(periodMs, () => {
      this.#pass = this.#run();
    });
  }

  async #checkAll(): Promise<void> {
    const nodes = this.#nodes.list();
    this.#tellArrivals(nodes);
    const checked: Node[] = [];
    for (const node of nodes) checked.push(await this.#checkOne(node));
    await this.#taint(checked);
  }

  #tellArrivals(nodes: readonly Node[]): void {
    const { recorder } = this.#context;
    const present = new Map(nodes.map(({ metadata }) => [metadata.name, metadata.uid]));
    const tell = (name: string, uid: string, reason: string, what: string) =>
      recorder.event({ kind: 'Node', name, uid }, 'Normal', reason, `Node ${name} event: ${what}`);
    for (const [name, uid] of present) {
      if (!this.#known.has(name)) tell(name, uid, 'RegisteredNode', `Registered Node ${name} in Controller`);
      this.#known.set(name, uid);
    }
    for (const [name, uid] of this.#known) {
      if (present.has(name)) continue;
      tell(name, uid, 'RemovingNode', `Removing Node ${name} from Controller`);
      this.#known.delete(name);
      this.#health.delete(name);
      this.#toRetry.delete(name);
    }
  }

  /** Answers the node as it is now; one that cannot be written is checked again in the next pass. */
  async #checkOne(node: Node): Promise<Node> {
    const { client, clock, recorder } = this.#context;
    const { name, uid } = node.metadata;
    const health = observe(this.#health.get(name), node, this.#leases.get(name, leaseNamespace), clock.now());
    this.#health.set(name, health);
    const conditions = isSilent(health, node, clock.now()) ? unknownConditions(node, clock.now()) : undefined;
    const wasReady = readyCondition(node)?.status === 'True';
    let current = node;
    try {
      if (conditions) current = await client.updateStatus(Node, { ...node, status: { ...node.status, conditions } });
      if (wasReady && conditions) {
        const message = `Node ${name} status is now: NodeNotReady`;
        recorder.event({ kind: 'Node', name, uid }, 'Normal', 'NodeNotReady', message);
        this.#toRetry.add(name);
      }
      if (this.#toRetry.has(name) && readyCondition(current)?.status !== 'True') await this.#markPodsNotReady(name);
      this.#toRetry.delete(name);
    } catch (error) {
      if (!isReason(error, 'Conflict', 'NotFound'))
        this.#context.log.warn('A node could not be checked, trying again', { node: name, error });
    }
    return current;
  }

  async #markPodsNotReady(nodeName: string): Promise<void> {
    const { client, clock, recorder } = this.#context;
    for (const pod of podsOnNode(this.#pods, nodeName)) {
      if (!isReady(pod)) continue;
      recorder.event(withKind(Pod, pod), 'Warning', 'NodeNotReady', 'Node is not ready');
      await patchPodCondition(client, pod, { type: 'Ready', status: 'False' }, clock.now()).catch((error: unknown) => {
        if (!isReason(error, 'NotFound')) throw error;
      });
    }
  }

  async #taint(nodes: readonly Node[]): Promise<void> {
    const states = zoneStates(nodes);
    const isAllDown = states.size > 0 && [...states.values()].every(({ state }) => state === 'FullDisruption');
    for (const node of nodes) {
      const ready = readyCondition(node)?.status ?? 'Unknown';
      const key = ready === 'True' || isAllDown ? undefined : ready === 'False' ? notReadyTaint : unreachableTaint;
      // A swap is no new eviction, and a removal none at all: neither waits.
      const isNew = key !== undefined && !hasNoExecuteTaint(node, notReadyTaint, unreachableTaint);
      if (!isNew || this.#mayTaint(zoneOf(node), states, isAllDown)) await this.#writeTaint(node, key);
    }
  }

  #mayTaint(zone: string, states: ReturnType<typeof zoneStates>, isAllDown: boolean): boolean {
    const { state = 'Normal', nodes = 0 } = states.get(zone) ?? {};
    const rate = taintsPerSecond(state, nodes, isAllDown);
    const nowMs = this.#context.clock.now();
    if (rate === 0 || nowMs < (this.#nextTaintMs.get(zone) ?? 0)) return false;
    this.#nextTaintMs.set(zone, nowMs + 1000 / rate);
    return true;
  }

  async #writeTaint(node: Node, key: Parameters<typeof withNoExecuteTaint>[1]): Promise<void> {
    const taints = withNoExecuteTaint(node, key, this.#context.clock.now());
    if (!taints) return;
    const { name, resourceVersion } = node.metadata;
    const body = { metadata: { resourceVersion }, spec: { taints } };
    await this.#context.client.patch(Node, { name }, { type: 'merge', body }).catch((error: unknown) => {
      if (!isReason(error, 'Conflict', 'NotFound')) throw error;
    });
  }
}
