import type { Pod } from '@kubernode/api/core/v1';

/** The addresses that only the node knows. */
export interface PodAddresses {
  readonly podIps: readonly string[];
  readonly hostIps: readonly string[];
}

const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/;

/** The value of a downward API field path. Throws for a path that the downward API does not know. */
export function fieldValue(pod: Pod, fieldPath: string, { podIps, hostIps }: PodAddresses): string {
  const [, map, key] = subscript.exec(fieldPath) ?? [];
  if (map && key !== undefined) return pod.metadata[map as 'labels' | 'annotations']?.[key] ?? '';
  switch (fieldPath) {
    case 'metadata.name':
      return pod.metadata.name ?? '';
    case 'metadata.namespace':
      return pod.metadata.namespace ?? '';
    case 'metadata.uid':
      return pod.metadata.uid;
    case 'metadata.labels':
      return formatMap(pod.metadata.labels);
    case 'metadata.annotations':
      return formatMap(pod.metadata.annotations);
    case 'spec.nodeName':
      return pod.spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec.serviceAccountName ?? '';
    case 'status.hostIP':
      return hostIps[0] ?? '';
    case 'status.hostIPs':
      return hostIps.join(',');
    case 'status.podIP':
      return podIps[0] ?? '';
    case 'status.podIPs':
      return podIps.join(',');
    default:
      throw new Error(`unsupported fieldPath: ${fieldPath}`);
  }
}

/** `key="value"`, a line each, sorted. */
function formatMap(map: Readonly<Record<string, string>> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n');
}
