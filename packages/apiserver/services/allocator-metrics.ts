import type { MetricsRegistry } from '../metrics/registry.ts';
import type { ServiceAllocators } from './allocators.ts';
import type { PortAllocator } from './port-allocator.ts';

type Scope = 'static' | 'dynamic';

/** What is counted of one write. */
export interface AllocatorMetrics {
  /** `scope`: whether the Service asked for this very one. */
  readonly allocatedIp: (range: string, scope: Scope) => void;
  readonly allocatedPort: (scope: Scope) => void;
  /** The repair loops found something; `type` as upstream's. */
  readonly repairedIp: (type: string) => void;
  readonly repairedPort: (type: string) => void;
}

/** `kube_apiserver_clusterip_allocator_*`, `kube_apiserver_nodeport_allocator_*` and those of the repair loops. */
export function allocatorMetrics(registry: MetricsRegistry, { ips, nodePorts }: ServiceAllocators): AllocatorMetrics {
  const counter = (name: string, help: string, labels?: readonly string[]) =>
    registry.counter({ name, help, stability: 'ALPHA', labels });
  const ipsTotal = counter('kube_apiserver_clusterip_allocator_allocation_total', 'Number of Cluster IPs allocations', [
    'cidr',
    'scope',
  ]);
  const portsTotal = counter('kube_apiserver_nodeport_allocator_allocation_total', 'Number of NodePort allocations', [
    'scope',
  ]);
  const types = 'broken down by type of error: leak, repair, full, outOfRange, duplicate, unknown';
  const ipErrors = counter(
    'apiserver_clusterip_repair_ip_errors_total',
    `Number of errors detected on clusterips by the repair loop ${types}, invalid`,
    ['type'],
  );
  const portErrors = counter(
    'apiserver_nodeport_repair_port_errors_total',
    `Number of errors detected on ports by the repair loop ${types}`,
    ['type'],
  );
  counter(
    'apiserver_nodeport_repair_reconcile_errors_total',
    'Number of reconciliation failures on the nodeport repair reconcile loop',
  );
  ipGauges(registry, ips);
  portGauges(registry, nodePorts);
  return {
    allocatedIp: (range, scope) => ipsTotal.of(range, scope).add(),
    allocatedPort: (scope) => portsTotal.of(scope).add(),
    repairedIp: (type) => ipErrors.of(type).add(),
    repairedPort: (type) => portErrors.of(type).add(),
  };
}

function ipGauges(registry: MetricsRegistry, families: ServiceAllocators['ips']): void {
  const prefix = 'kube_apiserver_clusterip_allocator_';
  const gauge = (name: string, help: string) =>
    registry.gauge({ name: prefix + name, help, stability: 'ALPHA', labels: ['cidr'] });
  const allocated = gauge('allocated_ips', 'Gauge measuring the number of allocated IPs for Services');
  const available = gauge('available_ips', 'Gauge measuring the number of available IPs for Services');
  registry.onCollect(() => {
    allocated.reset();
    available.reset();
    for (const { cidr, used, size } of families.flatMap((family) => family.usage())) {
      allocated.of(cidr).set(used);
      available.of(cidr).set(size - used);
    }
  });
}

function portGauges(registry: MetricsRegistry, nodePorts: PortAllocator): void {
  const prefix = 'kube_apiserver_nodeport_allocator_';
  const gauge = (name: string, help: string) => registry.gauge({ name: prefix + name, help, stability: 'ALPHA' });
  const allocated = gauge('allocated_ports', 'Gauge measuring the number of allocated NodePorts for Services');
  const available = gauge('available_ports', 'Gauge measuring the number of available NodePorts for Services');
  registry.onCollect(() => {
    const { first, last } = nodePorts.range;
    allocated.of().set(nodePorts.usedCount);
    available.of().set(last - first + 1 - nodePorts.usedCount);
  });
}
