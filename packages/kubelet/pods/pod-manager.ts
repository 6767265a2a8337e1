import type { Node, Pod } from '@kubernode/api/core/v1';
import type { Client, Informer } from '@kubernode/client';
import { admitPod } from './admission.ts';
import { podEvent, type PodContext } from './pod-context.ts';
import { PodWorker } from './pod-worker.ts';

export interface PodManagerOptions {
  readonly context: PodContext;
  readonly client: Client;
  /** The pods that are bound to this node. */
  readonly pods: Informer<Pod>;
  readonly node: () => Node;
}

/** One worker for each pod of this node; the order in which pods come decides who gets the room that is left. */
export class PodManager {
  readonly #options: PodManagerOptions;
  /** By uid: a pod of the same name may come while its predecessor is still ending. */
  readonly #workers = new Map<string, PodWorker>();
  #unsubscribe = () => {};

  constructor(options: PodManagerOptions) {
    this.#options = options;
  }

  /** Takes on the pods that are there, oldest first, and all that come. */
  start(): void {
    const { pods } = this.#options;
    const known = [...pods.list()].sort((a, b) =>
      a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1,
    );
    for (const pod of known) this.#seen(pod);
    this.#unsubscribe = pods.onChange((change) => {
      if (change.type === 'deleted') this.#workers.get(change.object.metadata.uid)?.removed();
      else {
        // Deleted and made again between two lists: the old one is gone.
        if (change.type === 'updated' && change.previous.metadata.uid !== change.object.metadata.uid) {
          this.#workers.get(change.previous.metadata.uid)?.removed();
        }
        this.#seen(change.object);
      }
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
  }

  get(name: string, namespace: string): Pod | undefined {
    return this.#options.pods.get(name, namespace);
  }

  /** Whether a pod with this uid is anybody's work. */
  has(podUid: string): boolean {
    return this.#workers.has(podUid);
  }

  list(): readonly Pod[] {
    return [...this.#workers.values()].map(({ pod }) => pod);
  }

  notify(podUid: string): void {
    this.#workers.get(podUid)?.notify();
  }

  notifyAll(): void {
    for (const worker of this.#workers.values()) worker.notify();
  }

  #seen(pod: Pod): void {
    const { uid } = pod.metadata;
    const worker = this.#workers.get(uid);
    if (worker) return worker.update(pod);
    const { context, client } = this.#options;
    if (pod.metadata.annotations?.['kubernetes.io/config.mirror']) {
      context.log.warn('mirror pod left alone: this kubelet runs no static pods', { pod: pod.metadata.name });
      return;
    }
    const refusal = this.#judge(pod);
    if (refusal) podEvent(context, pod, 'Warning', refusal.reason, refusal.message);
    const onFinished = () => {
      this.#workers.delete(uid);
    };
    this.#workers.set(uid, new PodWorker({ context, client, pod, refusal, onFinished }));
  }

  /** Pods that this kubelet (or the one before it) has begun are not judged again. */
  #judge(pod: Pod) {
    const { phase, startTime } = pod.status;
    if (pod.metadata.deletionTimestamp || startTime || (phase && phase !== 'Pending')) return undefined;
    const others = [...this.#workers.values()]
      .filter(({ state }) => state === 'syncing' || state === 'terminating')
      .map((worker) => worker.pod)
      .filter(({ status }) => status.phase !== 'Failed' && status.phase !== 'Succeeded');
    return admitPod(pod, others, this.#options.node());
  }
}
