import { Node } from '@kubernode/api/core/v1';
import { controller, runController } from '@kubernode/client';
import { ipFamily } from '@kubernode/machinery';
import type { BuiltInController } from '../built-in.ts';
import { CidrSet } from './cidr-set.ts';

const name = 'node-ipam-controller';
/** Upstream's `--node-cidr-mask-size`. */
const prefixLengths = { IPv4: 24, IPv6: 64 };

/** Gives each node a range of pod addresses out of the cluster's; two where the cluster has two families. */
export const nodeIpamController: BuiltInController = {
  name,
  serviceAccount: 'node-controller',
  eventSource: 'cidrAllocator',
  start(context) {
    if (!context.clusterCidr) return { name, stop: async () => {} };
    return runController(declaration(context.clusterCidr.split(',')), context);
  },
};

function declaration(clusterCidrs: readonly string[]) {
  const sets = clusterCidrs.map((cidr) => new CidrSet(cidr, prefixLengths[ipFamily(cidr.split('/')[0]!) ?? 'IPv4']));
  const rangesOf = new Map<string, readonly string[]>();
  let isFilled = false;
  const occupy = (node: Node) => {
    const ranges = node.spec.podCIDRs ?? (node.spec.podCIDR ? [node.spec.podCIDR] : []);
    if (ranges.length === 0) return;
    for (const range of ranges) for (const set of sets) set.occupy(range);
    rangesOf.set(node.metadata.name, ranges);
  };
  return controller<Node>({
    name,
    reconciles: Node,
    writes: [Node],
    onDeleted: true,
    // The ranges are counted here: one at a time.
    concurrency: 1,
    async reconcile(node, { client, informer, recorder, name: nodeName }) {
      if (!isFilled) for (const known of informer(Node).list()) occupy(known);
      isFilled = true;
      if (!node) {
        for (const range of rangesOf.get(nodeName) ?? []) for (const set of sets) set.release(range);
        rangesOf.delete(nodeName);
        return;
      }
      if (node.spec.podCIDR) return occupy(node);
      const ranges = rangesOf.get(nodeName) ?? sets.map((set) => set.allocate()).filter((range) => range !== undefined);
      if (ranges.length < sets.length) {
        const message = `Node ${nodeName} status is now: CIDRNotAvailable`;
        recorder.event({ kind: 'Node', name: nodeName, uid: node.metadata.uid }, 'Normal', 'CIDRNotAvailable', message);
        for (const range of ranges) for (const set of sets) set.release(range);
        throw new Error(`node ${nodeName} gets no pod addresses: the ranges ${clusterCidrs.join()} are used up`);
      }
      rangesOf.set(nodeName, ranges);
      const body = { spec: { podCIDR: ranges[0], podCIDRs: ranges } };
      await client.patch(Node, { name: nodeName }, { type: 'strategic', body });
    },
  });
}
