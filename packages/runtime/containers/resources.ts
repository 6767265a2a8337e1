import type { LinuxContainerResources } from '@kubernode/api/cri';

/** Resource limits in the OCI runtime specification's form; a limit of 0 is none. */
export function ociResources(
  resources: LinuxContainerResources | undefined,
  cgroupVersion: 1 | 2,
): Record<string, unknown> {
  if (!resources) return {};
  const { memoryLimitInBytes, memorySwapLimitInBytes } = resources;
  const cpu = compact({
    shares: resources.cpuShares,
    quota: resources.cpuQuota,
    period: resources.cpuPeriod,
    cpus: resources.cpusetCpus,
    mems: resources.cpusetMems,
  });
  const memory = compact({ limit: memoryLimitInBytes, swap: memorySwapLimitInBytes });
  const hugepages = resources.hugepageLimits.map(({ pageSize, limit }) => ({ pageSize, limit }));
  return {
    ...(Object.keys(cpu).length > 0 ? { cpu } : {}),
    ...(Object.keys(memory).length > 0 ? { memory } : {}),
    ...(hugepages.length > 0 ? { hugepageLimits: hugepages } : {}),
    ...(cgroupVersion === 2 && Object.keys(resources.unified).length > 0 ? { unified: resources.unified } : {}),
  };
}

function compact(values: Record<string, number | string>): Record<string, number | string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0 && value !== ''));
}
