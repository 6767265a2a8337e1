import type { Container, Pod, PodAffinityTerm } from '@kubernode/api/core/v1';
import { quantityMilli, quantityValue } from '@kubernode/machinery';

/** Amounts of resources: cpu in thousandths, memory and storage in bytes, others in whole units. */
export type Amounts = Readonly<Record<string, number>>;

/** What scoring takes for a container that asks for nothing, so that such pods spread, too. */
const defaultCpuMilli = 100;
const defaultMemoryBytes = 200 * 1024 * 1024;

/** A pod with what scheduling asks of it again and again, worked out once. */
export class PodInfo {
  readonly pod: Pod;
  readonly key: string;
  readonly requests: Amounts;
  /** For scores only: what is not asked for counts as a small default. */
  readonly scoredRequests: Amounts;
  readonly hostPorts: readonly HostPort[];
  /** Terms that an other pod on the same topology must match, or must not. */
  readonly requiredAffinity: readonly PodAffinityTerm[];
  readonly requiredAntiAffinity: readonly PodAffinityTerm[];

  constructor(pod: Pod) {
    this.pod = pod;
    this.key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    this.requests = podRequests(pod, false);
    this.scoredRequests = podRequests(pod, true);
    this.hostPorts = hostPortsOf(pod);
    this.requiredAffinity = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    this.requiredAntiAffinity =
      pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  }

  get uid(): string {
    return this.pod.metadata.uid;
  }

  get namespace(): string {
    return this.pod.metadata.namespace ?? '';
  }

  get labels(): Readonly<Record<string, string>> {
    return this.pod.metadata.labels ?? {};
  }

  get priority(): number {
    return this.pod.spec.priority ?? 0;
  }

  get isTerminating(): boolean {
    return this.pod.metadata.deletionTimestamp !== undefined;
  }

  /** Whether any term of another pod's placement may depend on this one. */
  get hasAffinity(): boolean {
    const { podAffinity, podAntiAffinity } = this.pod.spec.affinity ?? {};
    return podAffinity !== undefined || podAntiAffinity !== undefined;
  }
}

export interface HostPort {
  readonly protocol: string;
  readonly port: number;
  readonly ip: string;
}

function hostPortsOf({ spec }: Pod): HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(isSidecar);
  return [...spec.containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => (hostPort ?? 0) > 0)
      .map(({ protocol = 'TCP', hostPort = 0, hostIP }) => ({ protocol, port: hostPort, ip: hostIP || '0.0.0.0' })),
  );
}

const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';

/**
 * What a pod takes of its node: the larger of its containers' sum and of each start-up step, with the sidecars that
 * run by then; requests of the pod as a whole come before those of its containers; overhead is added.
 */
function podRequests({ spec }: Pod, forScore: boolean): Amounts {
  const total: Record<string, number> = {};
  for (const container of spec.containers) add(total, requestsOf(container, forScore));
  const sidecars: Record<string, number> = {};
  for (const container of spec.initContainers ?? []) {
    const own = requestsOf(container, forScore);
    if (isSidecar(container)) {
      add(total, own);
      add(sidecars, own);
      raise(total, sidecars);
    } else {
      const step = { ...sidecars };
      add(step, own);
      raise(total, step);
    }
  }
  Object.assign(total, amountsOf(spec.resources?.requests));
  add(total, amountsOf(spec.overhead));
  return total;
}

function requestsOf({ resources }: Container, forScore: boolean): Record<string, number> {
  const amounts = amountsOf(resources?.requests);
  if (forScore) {
    amounts['cpu'] ??= defaultCpuMilli;
    amounts['memory'] ??= defaultMemoryBytes;
  }
  return amounts;
}

/** Quantities as numbers: cpu in thousandths, all else in whole units. */
export function amountsOf(list: Readonly<Record<string, string | number>> | undefined): Record<string, number> {
  const amounts: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(list ?? {})) {
    amounts[name] = name === 'cpu' ? quantityMilli(quantity) : quantityValue(quantity);
  }
  return amounts;
}

function add(to: Record<string, number>, amounts: Amounts): void {
  for (const name in amounts) to[name] = (to[name] ?? 0) + (amounts[name] ?? 0);
}

function raise(to: Record<string, number>, amounts: Amounts): void {
  for (const name in amounts) to[name] = Math.max(to[name] ?? 0, amounts[name] ?? 0);
}
