import type { Pod } from '@kubernode/api/core/v1';
import type { Informer } from '@kubernode/client';

const byNode = 'node';

/** The pods that are bound to a node. */
export function podsOnNode(pods: Informer<Pod>, nodeName: string): readonly Pod[] {
  pods.addIndex(byNode, ({ spec }) => (spec.nodeName ? [spec.nodeName] : []));
  return pods.byIndex(byNode, nodeName);
}
