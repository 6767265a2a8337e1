import type { Lease } from '@kubernode/api/coordination/v1';
import type { Node, NodeCondition } from '@kubernode/api/core/v1';
import { formatTime, parseTime } from '@kubernode/machinery';

/** Upstream's `--node-monitor-grace-period` and `--node-startup-grace-period`. */
const graceMs = 50_000;
const startupGraceMs = 60_000;

/** What was seen of a node, by this machine's clock: the node's own may be wrong. */
export interface NodeHealth {
  /** When something last changed. */
  readonly aliveMs: number;
  readonly heartbeat: string | undefined;
  readonly leaseRenewal: string | undefined;
}

export function readyCondition({ status }: Node): NodeCondition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}

/** Takes note of a node's status and of its Lease. */
export function observe(
  before: NodeHealth | undefined,
  node: Node,
  lease: Lease | undefined,
  nowMs: number,
): NodeHealth {
  const ready = readyCondition(node);
  const heartbeat = ready ? `${ready.lastHeartbeatTime}` : undefined;
  const leaseRenewal = lease?.spec.renewTime;
  if (!before) {
    const createdMs = parseTime(node.metadata.creationTimestamp) ?? nowMs;
    return { aliveMs: ready || lease ? nowMs : createdMs, heartbeat, leaseRenewal };
  }
  const isAlive = heartbeat !== before.heartbeat || (leaseRenewal ?? '') > (before.leaseRenewal ?? '');
  return { aliveMs: isAlive ? nowMs : before.aliveMs, heartbeat, leaseRenewal: leaseRenewal ?? before.leaseRenewal };
}

export function isSilent({ aliveMs }: NodeHealth, node: Node, nowMs: number): boolean {
  return nowMs > aliveMs + (readyCondition(node) ? graceMs : startupGraceMs);
}

/** NetworkUnavailable is not the kubelet's to tell. */
const kubeletConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a node that is not heard of any more; undefined where they say so already. */
export function unknownConditions(node: Node, nowMs: number): NodeCondition[] | undefined {
  const lastTransitionTime = formatTime(nowMs);
  const present = node.status.conditions ?? [];
  const changed = present.map((condition) =>
    kubeletConditions.includes(condition.type) && condition.status !== 'Unknown'
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime,
        }
      : condition,
  );
  const missing = kubeletConditions.filter((type) => !present.some((condition) => condition.type === type));
  const added = missing.map((type) => ({
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: node.metadata.creationTimestamp,
    lastTransitionTime,
  }));
  const isSame = added.length === 0 && changed.every((condition, index) => condition === present[index]);
  return isSame ? undefined : [...changed, ...added];
}
