import type { Kind, KubernetesObject } from '@kubernode/api';
import type { Clock, Logger } from '@kubernode/machinery';
import type { Client } from './client.ts';
import type { Informer, InformerFactory, InformerScope } from './informer.ts';
import { SharedInformer } from './shared-informer.ts';

export interface InformerFactoryOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Informers start when first asked for; those of the same kind and scope are one. */
export function createInformerFactory(options: InformerFactoryOptions): InformerFactory {
  const informers = new Map<string, SharedInformer<KubernetesObject>>();
  let stopped = false;

  return {
    for<T>(kind: Kind<T>, scope: InformerScope = {}): Informer<T> {
      if (stopped) throw new Error(`informer of ${kind.plural}: the factory is stopped`);
      const id = [kind.basePath, kind.plural, scope.namespace, scope.labelSelector, scope.fieldSelector].join('|');
      let informer = informers.get(id);
      if (!informer) {
        informer = new SharedInformer(kind as Kind<unknown> as Kind<KubernetesObject>, scope, options);
        informers.set(id, informer);
      }
      return informer as unknown as Informer<T>;
    },
    async synced() {
      await Promise.all([...informers.values()].map((informer) => informer.synced));
    },
    async stop() {
      stopped = true;
      await Promise.all([...informers.values()].map((informer) => informer.stop()));
    },
  };
}
