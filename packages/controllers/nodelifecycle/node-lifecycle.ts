import { Lease } from '@kubernode/api/coordination/v1';
import { Node, Pod } from '@kubernode/api/core/v1';
import { controller, runController, status } from '@kubernode/client';
import type { BuiltInController } from '../built-in.ts';
import { missingLabels } from './labels.ts';
import { NodeMonitor } from './monitor.ts';
import { noScheduleTaints } from './taints.ts';

const name = 'node-controller';

/** Watches over nodes: their heartbeat, what their conditions mean for pods, and labels under their old names. */
export const nodeLifecycleController: BuiltInController = {
  name,
  start(context) {
    const monitor = new NodeMonitor(context);
    const labelsAndTaints = runController(declaration, context);
    return {
      name,
      async stop() {
        await Promise.all([monitor.stop(), labelsAndTaints.stop()]);
      },
    };
  },
};

/** What follows from a node at once; what follows from its silence is the monitor's. */
const declaration = controller<Node>({
  name,
  reconciles: Node,
  reads: [Lease],
  writes: [Node, status(Node), Pod, status(Pod)],
  async reconcile(node, { client, now }) {
    const labels = missingLabels(node.metadata.labels);
    const taints = noScheduleTaints(node, now());
    if (!labels && !taints) return;
    const { name, resourceVersion } = node.metadata;
    const body = {
      metadata: { resourceVersion, ...(labels ? { labels } : {}) },
      ...(taints ? { spec: { taints } } : {}),
    };
    await client.patch(Node, { name }, { type: 'merge', body });
  },
});
