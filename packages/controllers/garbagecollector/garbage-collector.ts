import { isReason, type KubernetesObject } from '@kubernode/api';
import type { OwnerReference } from '@kubernode/api/meta/v1';
import { createWorkQueue, type InformerChange, type WorkQueue } from '@kubernode/client';
import type { Component } from '@kubernode/machinery';
import type { BuiltInController, ControllerContext } from '../built-in.ts';
import { collect, orphanDependents, type Collection } from './collect.ts';
import { OwnerGraph, type GraphNode } from './graph.ts';
import { UnknownOwnerKind } from './owners.ts';
import { AllResources } from './resources.ts';

const name = 'generic-garbage-collector';
/** Upstream's `--concurrent-gc-syncs`. */
const workers = 20;

/** Deletes what lost its last owner, and carries out the foreground and the orphan policy of deletions. */
export const garbageCollector: BuiltInController = {
  name,
  eventSource: 'garbage-collector-controller',
  start: (context) => new GarbageCollector(context),
};

class GarbageCollector implements Component {
  readonly name = name;
  readonly #context: ControllerContext;
  readonly #toCheck: WorkQueue;
  readonly #toOrphan: WorkQueue;
  readonly #graph: OwnerGraph;
  readonly #resources: AllResources;
  readonly #collection: Collection;
  /** Objects whose kind, or whose owner's kind, nothing served when they were looked at. */
  readonly #unresolved = new Set<string>();
  readonly #workers: Promise<void>[];

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#toCheck = createWorkQueue(context);
    this.#toOrphan = createWorkQueue(context);
    this.#graph = new OwnerGraph({
      toCheck: (uid) => this.#toCheck.add(uid),
      toOrphan: (uid) => this.#toOrphan.add(uid),
      invalidNamespace: (node, owner) => this.#tellInvalidNamespace(node, owner),
    });
    this.#resources = new AllResources(
      context,
      (change) => this.#onChange(change),
      () => this.#retryUnresolved(),
    );
    this.#collection = {
      client: context.client,
      graph: this.#graph,
      kindOf: (apiVersion, kind) => this.#resources.kindOf(apiVersion, kind),
      toCheck: (uid) => this.#toCheck.add(uid),
    };
    const checking = Array.from({ length: workers }, () => this.#work(this.#toCheck, collect));
    const orphaning = Array.from({ length: workers }, () => this.#work(this.#toOrphan, orphanDependents));
    this.#workers = [...checking, ...orphaning];
  }

  async stop(): Promise<void> {
    this.#toCheck.shutDown();
    this.#toOrphan.shutDown();
    await this.#resources.stop();
    await Promise.all(this.#workers);
  }

  #onChange({ type, object }: InformerChange<KubernetesObject>): void {
    if (type === 'deleted') this.#graph.remove(object.metadata.uid);
    else this.#graph.observe(object);
  }

  async #work(queue: WorkQueue, act: (node: GraphNode, collection: Collection) => Promise<void>): Promise<void> {
    for (;;) {
      const uid = await queue.next();
      if (uid === undefined) return;
      const node = this.#graph.get(uid);
      try {
        if (node) await act(node, this.#collection);
        queue.forget(uid);
      } catch (error) {
        this.#onFailure(queue, uid, node, error);
      } finally {
        queue.done(uid);
      }
    }
  }

  #onFailure(queue: WorkQueue, uid: string, node: GraphNode | undefined, error: unknown): void {
    // Waits for discovery to tell of new resources.
    if (error instanceof UnknownOwnerKind) return void this.#unresolved.add(uid);
    if (!isReason(error, 'Conflict')) {
      this.#context.log.warn('An object could not be collected, trying again', { ...node?.identity, error });
    }
    queue.addRateLimited(uid);
  }

  #retryUnresolved(): void {
    for (const uid of this.#unresolved) {
      this.#toCheck.add(uid);
      if (this.#graph.get(uid)?.isBeingDeleted) this.#toOrphan.add(uid);
    }
    this.#unresolved.clear();
  }

  #tellInvalidNamespace({ identity }: GraphNode, owner: OwnerReference): void {
    const { apiVersion, kind, name, uid } = owner;
    const text = `[${apiVersion}/${kind}, namespace: ${identity.namespace}, name: ${name}, uid: ${uid}]`;
    const message = `ownerRef ${text} does not exist in namespace ${JSON.stringify(identity.namespace)}`;
    this.#context.recorder.event(identity, 'Warning', 'OwnerRefInvalidNamespace', message);
  }
}
