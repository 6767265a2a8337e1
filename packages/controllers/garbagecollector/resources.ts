import { scheme, type Kind, type KubernetesObject } from '@kubernode/api';
import { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import { createInformerFactory, type Informer, type InformerChange, type InformerFactory } from '@kubernode/client';
import type { ControllerContext } from '../built-in.ts';
import { discover, type DiscoveredResource } from '../shared/discovery.ts';
import { groupOf } from './graph.ts';

/** Between two looks at discovery; a new custom resource is looked for at once. */
const periodMs = 30_000;
/** Until what was just established is served. */
const settleMs = 300;

interface Watched {
  readonly kind: Kind<KubernetesObject>;
  readonly informer: Informer<KubernetesObject>;
  readonly stop: () => void;
}

/** Watches the objects of every resource that can be watched and deleted, also of those that come later. */
export class AllResources {
  readonly #context: ControllerContext;
  readonly #onChange: (change: InformerChange<KubernetesObject>) => void;
  readonly #onNew: () => void;
  readonly #watched = new Map<string, Watched>();
  readonly #byKind = new Map<string, Kind<KubernetesObject>>();
  readonly #unsubscribe: () => void;
  #isStopped = false;
  #syncing: Promise<void> = Promise.resolve();
  #cancel = () => {};

  constructor(
    context: ControllerContext,
    onChange: (change: InformerChange<KubernetesObject>) => void,
    onNew: () => void,
  ) {
    this.#context = context;
    this.#onChange = onChange;
    this.#onNew = onNew;
    this.#unsubscribe = context.informers.for(CustomResourceDefinition).onChange(() => this.#schedule(settleMs));
    this.#schedule(0);
  }

  /** Where objects of a kind are, whatever the version they were named by; undefined where nothing serves them. */
  kindOf(apiVersion: string, kind: string): Kind<KubernetesObject> | undefined {
    return this.#byKind.get(`${groupOf(apiVersion)}/${kind}`);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    this.#cancel();
    await this.#syncing;
    for (const { stop } of this.#watched.values()) stop();
  }

  #schedule(delayMs: number): void {
    this.#cancel();
    if (this.#isStopped) return;
    this.#cancel = this.#context.clock.after(delayMs, () => {
      this.#syncing = this.#syncing.then(() => this.#sync());
    });
  }

  async #sync(): Promise<void> {
    if (this.#isStopped) return;
    try {
      const { resources, failed } = await discover(this.#context.client);
      if (this.#isStopped) return;
      this.#watchAll(resources, failed);
    } catch (error) {
      this.#context.log.warn('The served resources could not be read, trying again', { error });
    }
    this.#schedule(periodMs);
  }

  #watchAll(resources: readonly DiscoveredResource[], failed: readonly string[]): void {
    const wanted = new Map(
      resources.filter(isCollected).map(({ kind }) => [`${kind.group}/${kind.version}/${kind.plural}`, kind]),
    );
    for (const [id, { kind, stop }] of this.#watched) {
      // A group that does not answer may come back: its objects are still there.
      if (wanted.has(id) || failed.includes(kind.apiVersion)) continue;
      stop();
      this.#watched.delete(id);
      this.#byKind.delete(`${kind.group}/${kind.kind}`);
    }
    let hasNew = false;
    for (const [id, kind] of wanted) {
      this.#byKind.set(`${kind.group}/${kind.kind}`, kind);
      if (this.#watched.has(id)) continue;
      this.#watched.set(id, this.#watch(kind));
      hasNew = true;
    }
    if (hasNew) this.#onNew();
  }

  #watch(kind: Kind<KubernetesObject>): Watched {
    // Custom resources may go again, so their informers are their own, and can be stopped.
    const isBuiltIn = scheme.byResource(kind.group, kind.version, kind.plural) !== undefined;
    const own: InformerFactory | undefined = isBuiltIn ? undefined : createInformerFactory(this.#context);
    const informer = (own ?? this.#context.informers).for(kind);
    const unsubscribe = informer.onChange(this.#onChange);
    const stop = () => {
      unsubscribe();
      void own?.stop();
    };
    return { kind, informer, stop };
  }
}

/** Events are many, and own nothing. */
function isCollected({ kind, verbs }: DiscoveredResource): boolean {
  if (kind.plural === 'events' && (kind.group === '' || kind.group === 'events.k8s.io')) return false;
  return ['delete', 'list', 'watch'].every((verb) => verbs.includes(verb));
}
