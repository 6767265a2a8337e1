import type { Pod } from '@kubernode/api/core/v1';

const hostnameCharactersMax = 63;

export interface PodHostname {
  readonly hostname: string;
  /** `web-0.db.default.svc.cluster.local` for a pod with a subdomain; else ''. */
  readonly domainName: string;
}

/** How a pod calls itself (upstream: GeneratePodHostNameAndDomain). */
export function podHostname(pod: Pod, clusterDomain: string): PodHostname {
  const { hostname, hostnameOverride, subdomain, setHostnameAsFQDN } = pod.spec;
  if (hostnameOverride) return { hostname: hostnameOverride, domainName: '' };
  const own = hostname || pod.metadata.name.slice(0, hostnameCharactersMax).replace(/[-.]+$/, '');
  const domain = subdomain ? `${subdomain}.${pod.metadata.namespace}.svc.${clusterDomain}` : '';
  if (!setHostnameAsFQDN || !domain) return { hostname: own, domainName: domain };
  const full = `${own}.${domain}`;
  if (full.length > 64) {
    throw new Error(
      `failed to construct FQDN from pod hostname and cluster domain, FQDN ${full} is too long (64 characters is the max, ${full.length} characters requested)`,
    );
  }
  return { hostname: full, domainName: domain };
}

/** The pod's /etc/hosts (upstream's text, which says who manages the file). */
export function hostsFile(pod: Pod, podIps: readonly string[], clusterDomain: string, hostFile: string): string {
  const aliases = (pod.spec.hostAliases ?? []).map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}\n`);
  const added = aliases.length > 0 ? `\n# Entries added by HostAliases.\n${aliases.join('')}` : '';
  if (pod.spec.hostNetwork) {
    return `# Kubernetes-managed hosts file (host network).\n${hostFile}${added}`;
  }
  const { hostname, domainName } = podHostname(
    { ...pod, spec: { ...pod.spec, setHostnameAsFQDN: false } },
    clusterDomain,
  );
  const names = domainName ? `${hostname}.${domainName}\t${hostname}` : hostname;
  return [
    '# Kubernetes-managed hosts file.\n',
    '127.0.0.1\tlocalhost\n',
    '::1\tlocalhost ip6-localhost ip6-loopback\n',
    'fe00::0\tip6-localnet\n',
    'fe00::0\tip6-mcastprefix\n',
    'fe00::1\tip6-allnodes\n',
    'fe00::2\tip6-allrouters\n',
    ...podIps.map((ip) => `${ip}\t${names}\n`),
    added,
  ].join('');
}
