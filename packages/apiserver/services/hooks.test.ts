import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '@kubernode/api';
import type { Service, ServiceSpec } from '@kubernode/api/core/v1';
import { seededRandom } from '@kubernode/machinery';
import type { ServiceAllocators } from './allocators.ts';
import { allocateService, releaseService, repairAllocators } from './hooks.ts';
import { IpAllocator } from './ip-allocator.ts';
import { PortAllocator } from './port-allocator.ts';

function cluster(...cidrs: string[]): ServiceAllocators {
  const ips = (cidrs.length > 0 ? cidrs : ['10.96.0.0/16']).map((cidr) => new IpAllocator(cidr));
  return { ips, nodePorts: new PortAllocator(), random: seededRandom(1) };
}

function serviceOf(spec: Partial<ServiceSpec>, name = 's'): Service {
  const all = { type: 'ClusterIP', selector: { app: 'a' }, ports: [{ port: 80, protocol: 'TCP' }], ...spec };
  return { metadata: { name, namespace: 'ns' }, spec: all, status: { loadBalancer: {} } } as unknown as Service;
}

function create(allocators: ServiceAllocators, spec: Partial<ServiceSpec>): Service {
  const service = serviceOf(spec);
  allocateService(service, undefined, allocators).commit();
  return service;
}

function causeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const [cause] = error.status.details?.causes ?? [];
    return `${cause?.field}: ${cause?.message}`;
  }
  return 'nothing was thrown';
}

test('allocateService gives an address and says which family', () => {
  const { spec } = create(cluster(), {});
  assert.match(spec.clusterIP ?? '', /^10\.96\./);
  assert.deepEqual(spec.clusterIPs, [spec.clusterIP]);
  assert.deepEqual([spec.ipFamilies, spec.ipFamilyPolicy], [['IPv4'], 'SingleStack']);
});

test('allocateService: families and policies on a cluster of one family', () => {
  const cases: [Partial<ServiceSpec>, string | undefined, string][] = [
    [{ ipFamilyPolicy: 'PreferDualStack' }, 'PreferDualStack', 'IPv4'],
    [{ clusterIP: 'None', clusterIPs: ['None'] }, 'SingleStack', 'IPv4'],
    [{ clusterIP: 'None', clusterIPs: ['None'], selector: {} }, 'RequireDualStack', 'IPv4,IPv6'],
    [{ clusterIP: 'None', clusterIPs: ['None'], selector: {}, ipFamilies: ['IPv6'] }, 'RequireDualStack', 'IPv6,IPv4'],
    [{ type: 'ExternalName', externalName: 'x' }, undefined, ''],
  ];
  for (const [asked, policy, families] of cases) {
    const { spec } = create(cluster(), asked);
    assert.deepEqual([spec.ipFamilyPolicy, (spec.ipFamilies ?? []).join()], [policy, families], JSON.stringify(asked));
  }
});

test('allocateService on a cluster of two families', () => {
  const allocators = cluster('10.96.0.0/16', 'fd00::/112');
  const { spec } = create(allocators, { ipFamilyPolicy: 'PreferDualStack' });
  assert.deepEqual(spec.ipFamilies, ['IPv4', 'IPv6']);
  assert.match(spec.clusterIPs?.[1] ?? '', /^fd00::/);
  const single = create(allocators, {});
  assert.equal(single.spec.clusterIPs?.length, 1);
  const both = structuredClone(single);
  both.spec.ipFamilyPolicy = 'RequireDualStack';
  allocateService(both, single, allocators).commit();
  assert.equal(both.spec.clusterIPs?.[0], single.spec.clusterIPs?.[0]);
  assert.equal(both.spec.clusterIPs?.length, 2);
  const back = structuredClone(both);
  back.spec.ipFamilyPolicy = 'SingleStack';
  allocateService(back, both, allocators).commit();
  assert.deepEqual([back.spec.clusterIPs, back.spec.ipFamilies], [single.spec.clusterIPs, ['IPv4']]);
  assert.equal(allocators.ips[1]?.usedCount, 1);
});

test('allocateService refuses with upstream messages', () => {
  const allocators = cluster();
  create(allocators, {
    clusterIP: '10.96.0.10',
    clusterIPs: ['10.96.0.10'],
    type: 'NodePort',
    ports: [{ port: 1, nodePort: 30080 }],
  });
  const cases: [Partial<ServiceSpec>, string][] = [
    [
      { clusterIP: '10.96.0.10', clusterIPs: ['10.96.0.10'] },
      'spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: ' +
        'provided IP is already allocated',
    ],
    [
      { clusterIP: '10.1.1.1', clusterIPs: ['10.1.1.1'] },
      'spec.clusterIPs: Invalid value: ["10.1.1.1"]: failed to allocate IP 10.1.1.1: ' +
        'the provided network does not match the current range',
    ],
    [
      { type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }] },
      'spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated',
    ],
    [
      { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
      'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. ' +
        'The range of valid ports is 30000-32767',
    ],
    [
      { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30080 },
      'spec.healthCheckNodePort: Invalid value: 30080: failed to allocate requested HealthCheck NodePort 30080: ' +
        'provided port is already allocated',
    ],
    [
      { ipFamilyPolicy: 'RequireDualStack' },
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
    [{ ipFamilies: ['IPv6'] }, 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    [
      { ipFamilies: ['IPv4', 'IPv6'] },
      `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when ` +
        'multiple IP families are specified',
    ],
  ];
  for (const [spec, expected] of cases) {
    assert.equal(
      causeOf(() => allocateService(serviceOf(spec), undefined, allocators)),
      expected,
    );
  }
  assert.deepEqual(
    [allocators.ips[0]?.usedCount, allocators.nodePorts.usedCount],
    [1, 1],
    'nothing is kept of a refusal',
  );
});

test('allocateService: ports of one number share a node port', () => {
  const { spec } = create(cluster(), {
    type: 'NodePort',
    ports: [
      { name: 'a', port: 53, protocol: 'TCP' },
      { name: 'b', port: 53, protocol: 'UDP', nodePort: 30053 },
      { name: 'c', port: 54, protocol: 'TCP' },
    ],
  });
  const [a, b, c] = (spec.ports ?? []).map((port) => port.nodePort);
  assert.deepEqual([a, b], [30053, 30053]);
  assert.ok(c && c >= 30_086);
});

test('allocateService: a change of type takes and gives back at commit', () => {
  const allocators = cluster();
  const balanced = create(allocators, { type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
  assert.ok(balanced.spec.healthCheckNodePort);
  assert.equal(allocators.nodePorts.usedCount, 2);
  const external = serviceOf({ type: 'ExternalName' });
  const allocation = allocateService(external, balanced, allocators);
  assert.equal(allocators.nodePorts.usedCount, 2);
  allocation.commit();
  assert.deepEqual([allocators.ips[0]?.usedCount, allocators.nodePorts.usedCount], [0, 0]);
  const again = serviceOf({});
  allocateService(again, external, allocators).commit();
  assert.equal(allocators.ips[0]?.usedCount, 1);
});

test('allocateService: revert leaves everything as it was', () => {
  const allocators = cluster();
  allocateService(serviceOf({ type: 'NodePort' }), undefined, allocators).revert();
  assert.deepEqual([allocators.ips[0]?.usedCount, allocators.nodePorts.usedCount], [0, 0]);
});

test('allocateService: a load balancer may do without node ports', () => {
  const { spec } = create(cluster(), { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false });
  assert.equal(spec.ports?.[0]?.nodePort, undefined);
});

test('releaseService and repairAllocators agree with what allocateService took', () => {
  const allocators = cluster();
  const services = [create(allocators, {}), create(allocators, { type: 'NodePort' })];
  const [first] = services;
  assert.ok(first);
  releaseService(first, allocators);
  assert.equal(allocators.ips[0]?.usedCount, 1);
  assert.deepEqual(repairAllocators(services, allocators), []);
  assert.deepEqual([allocators.ips[0]?.usedCount, allocators.nodePorts.usedCount], [2, 1]);
  const [problem] = repairAllocators([first, first], allocators);
  assert.match(problem ?? '', /^the cluster IP .* for service ns\/s was assigned to multiple services$/);
});
