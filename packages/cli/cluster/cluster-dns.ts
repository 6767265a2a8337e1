import { isReason, type Draft, type Kind, type KubernetesObject } from '@kubernode/api';
import { Service, ServiceAccount } from '@kubernode/api/core/v1';
import { EndpointSlice } from '@kubernode/api/discovery/v1';
import { ClusterRole, ClusterRoleBinding } from '@kubernode/api/rbac/v1';
import type { Client } from '@kubernode/client';
import { deepEqual } from '@kubernode/machinery';
import { firstAddress } from './addresses.ts';

const namespace = 'kube-system';
const account = 'coredns';
const role = 'system:coredns';

/** The user that cluster DNS reads the API as; named as upstream's, so that policies written for it hold. */
export const dnsUser = `system:serviceaccount:${namespace}:${account}`;

/** The tenth address of the Service range, as kubeadm's. */
export const clusterDnsAddress = (serviceRange: string) => firstAddress(serviceRange).replace(/\.1$/, '.10');

/** Makes what cluster DNS needs in the API: its rights, the Service `kube-dns` and where that leads. Idempotent. */
export async function publishClusterDns(client: Client, address: string, clusterIp: string): Promise<void> {
  const rules = [
    { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
  ];
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP' as const },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' as const },
  ];
  const labels = { 'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'KubeDNS' };
  await Promise.all([
    ensure(client, ServiceAccount, { metadata: { name: account, namespace } }),
    ensure(client, ClusterRole, { metadata: { name: role }, rules }),
    ensure(client, ClusterRoleBinding, { metadata: { name: role }, roleRef, subjects }),
    ensure(client, Service, {
      metadata: { name: 'kube-dns', namespace, labels },
      spec: { clusterIP: clusterIp, clusterIPs: [clusterIp], ports },
    }),
    ensureSlice(client, address, ports),
  ]);
}

async function ensureSlice(client: Client, address: string, ports: Draft<EndpointSlice>['ports']): Promise<void> {
  const wanted: Draft<EndpointSlice> = {
    metadata: {
      name: 'kube-dns',
      namespace,
      labels: { 'kubernetes.io/service-name': 'kube-dns', 'endpointslice.kubernetes.io/managed-by': 'kubernode' },
    },
    addressType: 'IPv4' as never,
    endpoints: [{ addresses: [address], conditions: { ready: true, serving: true, terminating: false } }],
    ports,
  };
  const present = await ensure(client, EndpointSlice, wanted);
  if (deepEqual(present.endpoints[0]?.addresses, [address])) return;
  const body = { endpoints: wanted.endpoints };
  await client.patch(EndpointSlice, { name: 'kube-dns', namespace }, { type: 'merge', body });
}

async function ensure<T extends KubernetesObject>(client: Client, kind: Kind<T>, object: Draft<T>): Promise<T> {
  const { name = '', namespace: scope } = (object as { metadata: { name?: string; namespace?: string } }).metadata;
  try {
    return await client.get(kind, name, scope);
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
  }
  return client.create(kind, object).catch((error: unknown) => {
    if (isReason(error, 'AlreadyExists')) return client.get(kind, name, scope);
    throw error;
  });
}
