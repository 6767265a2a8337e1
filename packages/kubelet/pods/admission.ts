import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '@kubernode/api/core/v1';
import { labelSelectorMatcher, quantityMilli, quantityValue } from '@kubernode/machinery';
import { podResources } from '../containers/resources.ts';

export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** Sysctls that are namespaced and cannot harm the node (upstream: SafeSysctlAllowlist). */
const safeSysctls: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);

/**
 * Whether the node takes a pod that was bound to it, beside those it has; the first reason why not. Pure. The
 * scheduler asks the same, but pods can also be bound by hand, and two schedulers may not know of each other.
 */
export function admitPod(pod: Pod, others: readonly Pod[], node: Node): Refusal | undefined {
  return (
    unsupported(pod) ??
    forbiddenSysctl(pod) ??
    wrongNode(pod, node) ??
    portInUse(pod, others) ??
    tooMuch(pod, others, node)
  );
}

/** What this node does not do yet, by name. */
function unsupported(pod: Pod): Refusal | undefined {
  const refuse = (what: string): Refusal => ({
    reason: 'UnexpectedAdmissionError',
    message: `${what} is not supported by this node`,
  });
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  if (pod.spec.hostUsers === false) return refuse('hostUsers: false (user namespaces)');
  if (pod.spec.resourceClaims?.length) return refuse('resourceClaims (dynamic resource allocation)');
  if (pod.spec.os && pod.spec.os.name !== 'linux') {
    const message = `Failed to admit pod as the \`OS\` field doesn't match node OS`;
    return { reason: 'PodOSNotSupported', message };
  }
  if (pod.spec.runtimeClassName) return refuse(`runtimeClassName "${pod.spec.runtimeClassName}"`);
  for (const { name, resources, restartPolicyRules = [] } of containers) {
    const wanted = Object.keys({ ...resources?.limits, ...resources?.requests });
    const hugepages = wanted.find((resource) => resource.startsWith('hugepages-'));
    if (hugepages) return refuse(`container "${name}": ${hugepages}`);
    if (restartPolicyRules.some(({ action }) => action === 'RestartAllContainers')) {
      return refuse(`container "${name}": the restart action RestartAllContainers`);
    }
  }
  return undefined;
}

function forbiddenSysctl(pod: Pod): Refusal | undefined {
  for (const { name } of pod.spec.securityContext?.sysctls ?? []) {
    const dotted = name.replaceAll('/', '.');
    if (!safeSysctls.has(dotted)) {
      return { reason: 'SysctlForbidden', message: `forbidden sysctl: "${name}" not allowlisted` };
    }
    if (pod.spec.hostNetwork && dotted.startsWith('net.')) {
      return { reason: 'SysctlForbidden', message: `forbidden sysctl: "${name}" not allowed with host net enabled` };
    }
  }
  return undefined;
}

function wrongNode(pod: Pod, node: Node): Refusal | undefined {
  const labels = node.metadata.labels ?? {};
  const selected = Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (selected && (!terms || terms.some((term) => matchesTerm(term, node)))) return undefined;
  return {
    reason: 'NodeAffinity',
    message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  };
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { 'metadata.name': metadata.name };
  return (
    matchExpressions.every((requirement) => matchesRequirement(requirement, metadata.labels ?? {})) &&
    matchFields.every((requirement) => matchesRequirement(requirement, fields))
  );
}

function matchesRequirement(requirement: NodeSelectorRequirement, values: Readonly<Record<string, string>>): boolean {
  const { key, operator, values: wanted = [] } = requirement;
  if (operator !== 'Gt' && operator !== 'Lt') {
    return labelSelectorMatcher({ matchExpressions: [{ key, operator, values: wanted }] }).matches(values);
  }
  const [own, limit] = [Number(values[key] ?? Number.NaN), Number(wanted[0])];
  return operator === 'Gt' ? own > limit : own < limit;
}

function portInUse(pod: Pod, others: readonly Pod[]): Refusal | undefined {
  const taken = new Set(others.flatMap(hostPorts));
  const clash = hostPorts(pod).find((port) => taken.has(port));
  if (clash === undefined) return undefined;
  const message = `Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports`;
  return { reason: 'NodePorts', message };
}

function hostPorts(pod: Pod): string[] {
  return pod.spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = 'TCP', hostIP = '' }) =>
      hostPort > 0 ? [`${protocol}/${hostIP === '0.0.0.0' ? '' : hostIP}/${hostPort}`] : [],
    ),
  );
}

function tooMuch(pod: Pod, others: readonly Pod[], node: Node): Refusal | undefined {
  const { allocatable = {} } = node.status;
  const podsMax = quantityValue(allocatable['pods'] ?? 0);
  if (others.length + 1 > podsMax) return outOf('pods', 1, others.length, podsMax);
  const wanted = podResources(pod);
  const used = others.map(podResources);
  const sum = (read: (resources: ReturnType<typeof podResources>) => number) =>
    used.reduce((total, resources) => total + read(resources), 0);
  const cpuMax = quantityMilli(allocatable['cpu'] ?? 0);
  const cpuUsed = sum(({ cpuRequestMilli }) => cpuRequestMilli);
  if (wanted.cpuRequestMilli > 0 && wanted.cpuRequestMilli + cpuUsed > cpuMax) {
    return outOf('cpu', wanted.cpuRequestMilli, cpuUsed, cpuMax);
  }
  const memoryMax = quantityValue(allocatable['memory'] ?? 0);
  const memoryUsed = sum(({ memoryRequestBytes }) => memoryRequestBytes);
  if (wanted.memoryRequestBytes > 0 && wanted.memoryRequestBytes + memoryUsed > memoryMax) {
    return outOf('memory', wanted.memoryRequestBytes, memoryUsed, memoryMax);
  }
  return undefined;
}

function outOf(resource: string, requested: number, used: number, capacity: number): Refusal {
  const message = `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return { reason: `OutOf${resource}`, message };
}
