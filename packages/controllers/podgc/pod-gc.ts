import { isReason } from '@kubernode/api';
import { Node, Pod } from '@kubernode/api/core/v1';
import type { Informer } from '@kubernode/client';
import type { Component } from '@kubernode/machinery';
import type { BuiltInController, ControllerContext } from '../built-in.ts';
import { patchPodCondition } from '../shared/pod-conditions.ts';
import { isFinished } from '../shared/pods.ts';
import { outOfService, surplusFinished, unscheduledTerminating } from './decide.ts';

const name = 'pod-garbage-collector';
const periodMs = 20_000;
/** A node that is not in the local copy may only be new. */
const quarantineMs = 40_000;

/** Removes pods that no kubelet will remove. */
export const podGarbageCollector: BuiltInController = {
  name,
  start: (context) => new PodGarbageCollector(context),
};

class PodGarbageCollector implements Component {
  readonly name = name;
  readonly #context: ControllerContext;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  /** Since when a node's name is missing. */
  readonly #missingSinceMs = new Map<string, number>();
  #isStopped = false;
  #cancel = () => {};
  #pass: Promise<void>;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#pods = context.informers.for(Pod);
    this.#nodes = context.informers.for(Node);
    this.#pass = Promise.all([this.#pods.synced, this.#nodes.synced]).then(
      () => this.#run(),
      () => {},
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    if (this.#pods.hasSynced && this.#nodes.hasSynced) await this.#pass;
  }

  async #run(): Promise<void> {
    if (this.#isStopped) return;
    await this.#collect().catch((error: unknown) => {
      this.#context.log.warn('Pods could not be collected, trying again', { error });
    });
    if (this.#isStopped) return;
    this.#cancel = this.#context.clock.after(periodMs, () => {
      this.#pass = this.#run();
    });
  }

  async #collect(): Promise<void> {
    const pods = this.#pods.list();
    for (const pod of surplusFinished(pods)) await this.#remove(pod);
    const nodeOf = (nodeName: string) => this.#nodes.get(nodeName);
    for (const pod of outOfService(pods, nodeOf)) await this.#remove(pod);
    const lost = await this.#lostNodes(pods);
    for (const pod of pods) {
      if (!pod.spec.nodeName || !lost.has(pod.spec.nodeName)) continue;
      await this.#remove(pod, { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' });
    }
    for (const pod of unscheduledTerminating(pods)) await this.#remove(pod);
  }

  /** Names of nodes that are missing for long enough, and that the server does not know either. */
  async #lostNodes(pods: readonly Pod[]): Promise<Set<string>> {
    const { client, clock } = this.#context;
    const named = new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []));
    for (const nodeName of this.#missingSinceMs.keys())
      if (!named.has(nodeName) || this.#nodes.get(nodeName)) this.#missingSinceMs.delete(nodeName);
    const lost = new Set<string>();
    for (const nodeName of named) {
      if (this.#nodes.get(nodeName)) continue;
      const sinceMs = this.#missingSinceMs.get(nodeName) ?? clock.now();
      this.#missingSinceMs.set(nodeName, sinceMs);
      if (clock.now() - sinceMs < quarantineMs) continue;
      const isThere = await client.get(Node, nodeName).then(
        () => true,
        (error: unknown) => {
          if (isReason(error, 'NotFound')) return false;
          throw error;
        },
      );
      if (!isThere) lost.add(nodeName);
    }
    return lost;
  }

  /** The pod did not end by itself: it failed, unless it had ended before. */
  async #remove(pod: Pod, why?: { readonly reason: string; readonly message: string }): Promise<void> {
    const { client, clock, log } = this.#context;
    const { name, namespace, uid } = pod.metadata;
    try {
      if (!isFinished(pod)) {
        const phase = { phase: 'Failed' };
        const target = { type: 'DisruptionTarget', status: 'True', ...why };
        if (why) await patchPodCondition(client, pod, target, clock.now(), phase);
        else {
          const body = { metadata: { uid }, status: phase };
          await client.patch(Pod, { name, namespace, subresource: 'status' }, { type: 'strategic', body });
        }
      }
      await client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isReason(error, 'NotFound', 'Conflict')) log.warn('A pod could not be collected', { pod: name, error });
    }
  }
}
