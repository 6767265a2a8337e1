import type { Pod } from '@kubernode/api/core/v1';
import type { CriInit } from '@kubernode/api/cri';

export interface ResolverConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** A Linux resolver reads no more (validation.MaxDNSNameservers, MaxDNSSearchPaths, MaxDNSSearchListChars). */
const serversMax = 3;
const searchesMax = 32;
const searchCharactersMax = 2048;

/** The resolver configuration of a pod by its dnsPolicy and dnsConfig; `host`: the node's own. */
export function podDns(
  pod: Pod,
  host: ResolverConfig,
  { clusterDns, clusterDomain }: { readonly clusterDns: readonly string[]; readonly clusterDomain: string },
): CriInit<'DNSConfig'> {
  const policy = pod.spec.dnsPolicy ?? 'ClusterFirst';
  const wantsCluster = policy === 'ClusterFirstWithHostNet' || (policy === 'ClusterFirst' && !pod.spec.hostNetwork);
  let config: ResolverConfig = host;
  if (policy === 'None') config = { servers: [], searches: [], options: [] };
  else if (wantsCluster && clusterDns.length > 0) {
    const own = [`${pod.metadata.namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
    config = { servers: clusterDns, searches: [...own, ...host.searches], options: ['ndots:5'] };
  }
  const extra = pod.spec.dnsConfig ?? {};
  return {
    servers: unique([...config.servers, ...(extra.nameservers ?? [])]).slice(0, serversMax),
    searches: fitting(unique([...config.searches, ...(extra.searches ?? [])])),
    options: mergedOptions(config.options, extra.options ?? []),
  };
}

/** Reads resolv.conf(5). */
export function parseResolverConfig(text: string): ResolverConfig {
  const servers: string[] = [];
  let searches: string[] = [];
  let options: string[] = [];
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === 'nameserver' && values[0]) servers.push(values[0]);
    else if (keyword === 'search') searches = values.filter((domain) => domain !== '.');
    else if (keyword === 'options') options = values;
  }
  return { servers, searches, options };
}

const unique = (values: readonly string[]) => [...new Set(values)];

function fitting(searches: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let characters = 0;
  for (const search of searches.slice(0, searchesMax)) {
    characters += search.length + 1;
    if (characters > searchCharactersMax) break;
    kept.push(search);
  }
  return kept;
}

/** The pod's own options replace those of the same name. */
function mergedOptions(
  base: readonly string[],
  own: readonly { readonly name?: string | undefined; readonly value?: string | undefined }[],
): readonly string[] {
  const options = new Map(base.map((option) => [option.split(':')[0] as string, option]));
  for (const { name = '', value } of own) options.set(name, value === undefined ? name : `${name}:${value}`);
  return [...options.values()];
}
