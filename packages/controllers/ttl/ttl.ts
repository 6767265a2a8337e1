import { Node } from '@kubernode/api/core/v1';
import { controller } from '@kubernode/client';

const annotation = 'node.alpha.kubernetes.io/ttl';

/**
 * From how many nodes on, until how many, kubelets may keep secrets and config maps for how long. The steps overlap, so
 * that a node more or less does not change all.
 */
const steps = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** Keeps the current seconds as long as they fit the number of nodes. */
export function ttlSeconds(nodes: number, current: number | undefined): number {
  const fitting = steps.filter(({ from, to }) => nodes >= from && nodes <= to);
  return (fitting.find(({ seconds }) => seconds === current) ?? fitting[0])?.seconds ?? 0;
}

/** Tells kubelets by an annotation how long they may keep what they have read. */
export const ttlController = controller<Node>({
  name: 'ttl-controller',
  reconciles: Node,
  writes: [Node],
  async reconcile({ metadata }, { client, informer }) {
    const current = metadata.annotations?.[annotation];
    const wanted = String(
      ttlSeconds(informer(Node).list().length, current === undefined ? undefined : Number(current)),
    );
    if (current === wanted) return;
    const body = { metadata: { annotations: { [annotation]: wanted } } };
    await client.patch(Node, { name: metadata.name }, { type: 'merge', body });
  },
});
