import type { Service, ServiceSpec } from '@kubernode/api/core/v1';
import { ipFamily, type IpFamily } from '@kubernode/machinery';
import { allocatorOf, Ledger, type ServiceAllocators } from './allocators.ts';
import { initIpFamilies, keepsPreference } from './ip-families.ts';

/** What a write of a Service took: `commit` once it is stored, `revert` when it was not, or only tried (dry run). */
export interface ServiceAllocation {
  readonly takenIps: readonly string[];
  readonly takenPorts: readonly number[];
  readonly returnedIps: readonly string[];
  commit(): void;
  revert(): void;
}

/**
 * Gives a Service that is about to be stored its clusterIPs, families, node ports and health check port, in place; on
 * an update it takes what is new and, at `commit`, gives back what is no longer used. To be called after validation,
 * with the Service as normalized (clusterIP and clusterIPs agree). Throws StatusError Invalid, worded as upstream's.
 */
export function allocateService(
  service: Service,
  old: Service | undefined,
  allocators: ServiceAllocators,
  options: { readonly dryRun?: boolean } = {},
): ServiceAllocation {
  const ledger = new Ledger(allocators, options);
  try {
    initIpFamilies(service, old, allocators);
    if (old) updateClusterIps(service, old, ledger);
    else takeClusterIps(service, ledger);
    if (hasNodePorts(service.spec)) {
      if (old) updateNodePorts(service, old, ledger);
      else takeNodePorts(service, ledger);
    } else if (old && hasNodePorts(old.spec)) ledger.returnPorts(nodePortsOf(old.spec));
    updateHealthCheckPort(service, old, ledger);
    return ledger;
  } catch (error) {
    ledger.revert();
    throw error;
  }
}

/** Gives back all that a deleted Service had. */
export function releaseService(service: Service, allocators: ServiceAllocators): void {
  const ledger = new Ledger(allocators);
  ledger.returnIps(clusterIpsOf(service.spec));
  ledger.returnPorts([...nodePortsOf(service.spec), ...healthCheckPortsOf(service.spec)]);
  ledger.commit();
}

/**
 * Makes the allocators' state that of the Services that are stored, as after a start. Answers what is wrong with them,
 * a sentence each: the same address twice, an address or port outside of the ranges.
 */
export function repairAllocators(services: Iterable<Service>, allocators: ServiceAllocators): string[] {
  for (const allocator of allocators.ips) allocator.clear();
  allocators.nodePorts.clear();
  const problems: string[] = [];
  for (const service of services) {
    const name = `${service.metadata.namespace}/${service.metadata.name}`;
    for (const ip of clusterIpsOf(service.spec)) {
      const reservation = allocatorOf(allocators, ipFamily(ip) ?? '')?.hold(ip) ?? 'outside';
      if (reservation === 'used')
        problems.push(`the cluster IP ${ip} for service ${name} was assigned to multiple services`);
      if (reservation === 'outside')
        problems.push(`the cluster IP ${ip} for service ${name} is not within the service CIDR`);
    }
    for (const port of new Set([...nodePortsOf(service.spec), ...healthCheckPortsOf(service.spec)])) {
      const reservation = allocators.nodePorts.reserve(port);
      if (reservation === 'used')
        problems.push(`the node port ${port} for service ${name} was assigned to multiple services`);
      if (reservation === 'outside') problems.push(`the port ${port} for service ${name} is not within the port range`);
    }
  }
  return problems;
}

const hasNodePorts = ({ type }: ServiceSpec) => type === 'NodePort' || type === 'LoadBalancer';
const isHeadless = ({ clusterIPs }: ServiceSpec) => clusterIPs?.[0] === 'None';
const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec) =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

export function clusterIpsOf(spec: ServiceSpec): string[] {
  if (spec.type === 'ExternalName' || isHeadless(spec)) return [];
  const ips = spec.clusterIPs?.length ? spec.clusterIPs : [spec.clusterIP ?? ''];
  return ips.filter((ip) => ip !== '' && ip !== 'None');
}

export const nodePortsOf = ({ ports = [] }: ServiceSpec): number[] =>
  ports.map((port) => port.nodePort ?? 0).filter((nodePort) => nodePort !== 0);

export const healthCheckPortsOf = (spec: ServiceSpec): number[] =>
  needsHealthCheck(spec) && spec.healthCheckNodePort ? [spec.healthCheckNodePort] : [];

function takeClusterIps(service: Service, ledger: Ledger): void {
  const { spec } = service;
  if (spec.type === 'ExternalName' || isHeadless(spec)) return;
  const wanted = spec.clusterIPs ?? [];
  spec.clusterIPs = (spec.ipFamilies ?? []).map((family, index) =>
    ledger.takeIp(service, family as IpFamily, wanted[index] ?? ''),
  );
  if (spec.clusterIPs[0] !== undefined) spec.clusterIP = spec.clusterIPs[0];
}

function updateClusterIps(service: Service, old: Service, ledger: Ledger): void {
  const { spec } = service;
  if (keepsPreference(service, old)) return;
  if (old.spec.type === 'ExternalName') {
    takeClusterIps(service, ledger);
    return;
  }
  if (isHeadless(old.spec)) return;
  if (spec.type === 'ExternalName') {
    ledger.returnIps(clusterIpsOf(old.spec));
    return;
  }
  const before = old.spec.ipFamilies?.length ?? 0;
  const families = spec.ipFamilies ?? [];
  const [first = '', second = ''] = spec.clusterIPs ?? [];
  if (before === 1 && families.length === 2) {
    spec.clusterIPs = [first, ledger.takeIp(service, families[1] as IpFamily, second)];
  } else if (before === 2 && families.length === 1) ledger.returnIps(clusterIpsOf(old.spec).slice(1));
}

/** A load balancer may do without node ports; one that is asked for by number is taken all the same. */
const wantsNodePorts = ({ type, allocateLoadBalancerNodePorts = true }: ServiceSpec) =>
  type === 'NodePort' || allocateLoadBalancerNodePorts;

/** Ports of one number (TCP and UDP) share a node port, unless each asks for its own. */
function takeNodePorts(service: Service, ledger: Ledger): void {
  const ports = service.spec.ports ?? [];
  const takenFor = new Map<number, number>();
  for (const [index, port] of ports.entries()) {
    if (!port.nodePort && !wantsNodePorts(service.spec)) continue;
    const field = `spec.ports[${index}].nodePort`;
    const shared = takenFor.get(port.port);
    if (shared === undefined) {
      const asked = ports.find((other) => other.port === port.port && other.nodePort)?.nodePort ?? 0;
      port.nodePort = ledger.takePort(service, field, asked);
      takenFor.set(port.port, port.nodePort);
    } else if (!port.nodePort) port.nodePort = shared;
    else if (port.nodePort !== shared) ledger.takePort(service, field, port.nodePort);
  }
}

function updateNodePorts(service: Service, old: Service, ledger: Ledger): void {
  const before = new Set(nodePortsOf(old.spec));
  const taken = new Set<number>();
  for (const [index, port] of (service.spec.ports ?? []).entries()) {
    const wanted = port.nodePort ?? 0;
    if (wanted === 0 ? !wantsNodePorts(service.spec) : before.has(wanted) || taken.has(wanted)) continue;
    port.nodePort = ledger.takePort(service, `spec.ports[${index}].nodePort`, wanted);
    taken.add(port.nodePort);
  }
  const after = new Set(nodePortsOf(service.spec));
  ledger.returnPorts([...before].filter((port) => !after.has(port)));
}

function updateHealthCheckPort(service: Service, old: Service | undefined, ledger: Ledger): void {
  const needed = old !== undefined && needsHealthCheck(old.spec);
  const needs = needsHealthCheck(service.spec);
  if (needs && !needed) {
    const wanted = service.spec.healthCheckNodePort ?? 0;
    const context = `failed to allocate requested HealthCheck NodePort ${wanted}: `;
    service.spec.healthCheckNodePort = ledger.takePort(service, 'spec.healthCheckNodePort', wanted, context);
  } else if (needed && !needs) ledger.returnPorts(healthCheckPortsOf(old.spec));
}
