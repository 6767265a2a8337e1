import type { Draft } from '@kubernode/api';
import { Lease } from '@kubernode/api/coordination/v1';
import { Node } from '@kubernode/api/core/v1';
import { controller, status, type ReconcileContext } from '@kubernode/client';
import { formatMicroTime, formatTime } from '@kubernode/machinery';

/** What a simulated node looks like; absent: 4 cpu, 8Gi, 110 pods. */
export interface SimulatedNode {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly capacity?: Readonly<Record<string, string>>;
  readonly taints?: Draft<Node>['spec'] extends infer S ? (S extends { taints?: infer T } ? T : never) : never;
}

/** On a node: its status is nobody's to mend; its Lease and its pods are looked after all the same. */
const frozenAnnotation = 'sim.example.com/frozen';
/** Nodes that carry it are simulated. */
const simulatedAnnotation = 'kwok.x-k8s.io/node';

const leaseNamespace = 'kube-node-lease';
const renewalMs = 10_000;
const leaseSeconds = 40;
const address = '192.0.2.1';

/** The Node object of a simulated machine. */
export function nodeObject(name: string, { labels, annotations, capacity, taints }: SimulatedNode = {}): Draft<Node> {
  const amounts = { cpu: '4', memory: '8Gi', pods: '110', ...capacity };
  return {
    metadata: {
      name,
      annotations: { [simulatedAnnotation]: 'fake', ...annotations },
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels },
    },
    spec: taints ? { taints } : {},
    status: { capacity: amounts, allocatable: amounts },
  };
}

export function isSimulated(node: Node): boolean {
  return node.metadata.annotations?.[simulatedAnnotation] !== undefined;
}

function isFrozen(node: Node): boolean {
  return node.metadata.annotations?.[frozenAnnotation] !== undefined;
}

/** Keeps simulated nodes ready, and their Leases fresh. */
export const simulatedNodes = controller({
  name: 'simulated-nodes',
  reconciles: Node,
  reads: [Lease],
  writes: [status(Node), Lease],
  filter: isSimulated,
  async reconcile(node, context) {
    await renewLease(node, context);
    if (!isFrozen(node) && !isReady(node)) await becomeReady(node, context);
    return { requeueAfterMs: renewalMs };
  },
});

const isReady = (node: Node) =>
  node.status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;

async function becomeReady({ metadata }: Node, { client, now }: ReconcileContext): Promise<void> {
  const time = formatTime(now());
  const times = { lastHeartbeatTime: time, lastTransitionTime: time };
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready', ...times };
  const body = { status: { conditions: [ready], addresses: [{ type: 'InternalIP', address }], phase: 'Running' } };
  await client.patch(Node, { name: metadata.name, subresource: 'status' }, { type: 'strategic', body });
}

async function renewLease({ metadata }: Node, { client, informer, now }: ReconcileContext): Promise<void> {
  const { name } = metadata;
  const renewTime = formatMicroTime(now());
  const known = informer(Lease).get(name, leaseNamespace);
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
  if (known) await client.patch(Lease, { name, namespace: leaseNamespace }, { type: 'merge', body: { spec } });
  else await client.create(Lease, { metadata: { name, namespace: leaseNamespace }, spec });
}
