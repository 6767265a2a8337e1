import type { Pod } from '@kubernode/api/core/v1';
import type { CriInit } from '@kubernode/api/cri';
import { join } from 'node:path';
import { podDns, type ResolverConfig } from './dns.ts';
import { podHostname } from './hostname.ts';
import { podLabels } from './labels.ts';
import { cpuQuotaUs, cpuShares, podResources } from './resources.ts';
import { namespaceOptions, seccomp, supplementalGroups } from './security-context.ts';

/** What the node brings to every pod's configuration. */
export interface NodeConfig {
  readonly logsDir: string;
  readonly seccompDir: string;
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  readonly hostResolver: ResolverConfig;
  readonly memoryCapacityBytes: number;
  readonly groupOomKill: boolean;
  readonly appArmor: boolean;
  cgroupParent(pod: Pod): string;
}

/** Where a pod's container logs lie: `<logs>/<namespace>_<name>_<uid>`. */
export function podLogsDir(logsDir: string, { metadata }: Pod): string {
  return join(logsDir, `${metadata.namespace}_${metadata.name}_${metadata.uid}`);
}

export function sandboxConfig(pod: Pod, attempt: number, node: NodeConfig): CriInit<'PodSandboxConfig'> {
  const { metadata, spec } = pod;
  return {
    metadata: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid, attempt },
    // A pod on the host's network keeps the host's name.
    hostname: spec.hostNetwork ? '' : podHostname(pod, node.clusterDomain).hostname,
    logDirectory: podLogsDir(node.logsDir, pod),
    dnsConfig: podDns(pod, node.hostResolver, node),
    portMappings: portMappings(pod),
    labels: podLabels(pod),
    annotations: metadata.annotations ?? {},
    linux: {
      cgroupParent: node.cgroupParent(pod),
      sysctls: sysctls(pod),
      securityContext: sandboxSecurity(pod, node.seccompDir),
      resources: sandboxResources(pod),
    },
  };
}

/** Upstream's kubelet passes host ports on; on the host's network there is nothing to map. */
function portMappings(pod: Pod): CriInit<'PortMapping'>[] {
  if (pod.spec.hostNetwork) return [];
  const containers = [
    ...(pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always'),
    ...pod.spec.containers,
  ];
  return containers.flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ containerPort, hostPort, hostIP, protocol = 'TCP' }) => ({
        containerPort,
        hostPort,
        protocol,
        hostIp: hostIP ?? '',
      })),
  );
}

function sandboxSecurity(pod: Pod, seccompDir: string): CriInit<'LinuxSandboxSecurityContext'> {
  const { runAsUser, runAsGroup, seccompProfile, supplementalGroupsPolicy } = pod.spec.securityContext ?? {};
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  return {
    namespaceOptions: { ...namespaceOptions(pod), ...(pod.spec.shareProcessNamespace ? { pid: 'POD' } : {}) },
    privileged: containers.some(({ securityContext }) => securityContext?.privileged),
    ...(runAsUser === undefined ? {} : { runAsUser: { value: runAsUser } }),
    ...(runAsGroup === undefined ? {} : { runAsGroup: { value: runAsGroup } }),
    supplementalGroups: supplementalGroups(pod),
    supplementalGroupsPolicy: supplementalGroupsPolicy ?? 'Merge',
    seccomp:
      seccompProfile?.type === 'Localhost' ? { profileType: 'RuntimeDefault' } : seccomp(seccompProfile, seccompDir),
  };
}

/** The runtime's kernel interface wants dots. */
function sysctls(pod: Pod): Record<string, string> {
  const list = pod.spec.securityContext?.sysctls ?? [];
  return Object.fromEntries(list.map(({ name, value }) => [dotted(name), value]));
}

/** `net/ipv4/conf/eth0.1/x` and `net.ipv4.conf.eth0/1.x` are the same; the first separator decides. */
function dotted(name: string): string {
  const first = name.search(/[./]/);
  if (first < 0 || name[first] === '.') return name;
  return name.replace(/[./]/g, (character) => (character === '/' ? '.' : '/'));
}

function sandboxResources(pod: Pod): CriInit<'LinuxContainerResources'> {
  const { cpuRequestMilli, cpuLimitMilli, memoryLimitBytes, cpuLimited, memoryLimited } = podResources(pod);
  return {
    cpuPeriod: 100_000,
    cpuShares: cpuShares(cpuRequestMilli),
    ...(cpuLimited ? { cpuQuota: cpuQuotaUs(cpuLimitMilli) } : {}),
    ...(memoryLimited ? { memoryLimitInBytes: memoryLimitBytes } : {}),
  };
}
