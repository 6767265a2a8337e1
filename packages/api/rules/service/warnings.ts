import type { Service } from '../../generated/types/core/v1.ts';
import { cidrWarnings, ipWarnings } from './ip-warnings.ts';

/** What a client is told of a service whose parts go unused, or should be said otherwise (pkg/api/service/warnings.go). */
export function serviceWarnings({ metadata, spec }: Service): readonly string[] {
  const { clusterIP, clusterIPs = [], externalIPs = [], loadBalancerIP, loadBalancerSourceRanges = [], type } = spec;
  const isHeadless = type === 'ClusterIP' && clusterIP === 'None';
  const isName = type === 'ExternalName';
  const found: string[] = [];
  const say = (condition: unknown, ...texts: readonly string[]) => (condition ? found.push(...texts) : 0);
  say(
    metadata.annotations?.['service.kubernetes.io/topology-aware-hints'] !== undefined,
    'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
  );
  if (clusterIP && clusterIP !== 'None')
    clusterIPs.forEach((ip, index) => found.push(...ipWarnings(ip, `spec.clusterIPs[${index}]`)));
  if (isHeadless) {
    say(loadBalancerIP, 'spec.loadBalancerIP is ignored for headless services');
    say(externalIPs.length > 0, 'spec.externalIPs is ignored for headless services');
    say(spec.sessionAffinity !== 'None', 'spec.SessionAffinity is ignored for headless services');
  }
  externalIPs.forEach((ip, index) => found.push(...ipWarnings(ip, `spec.externalIPs[${index}]`)));
  say(
    externalIPs.length > 0 && !isHeadless && !isName,
    'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
  );
  found.push(...ipWarnings(loadBalancerIP, 'spec.loadBalancerIP'));
  loadBalancerSourceRanges.forEach((range, index) =>
    found.push(...cidrWarnings(range, `spec.loadBalancerSourceRanges[${index}]`)),
  );
  say(isName && externalIPs.length > 0, 'spec.externalIPs is ignored when spec.type is "ExternalName"');
  say(!isName && spec.externalName, 'spec.externalName is ignored when spec.type is not "ExternalName"');
  say(
    spec.trafficDistribution === 'PreferClose',
    'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
  );
  return found;
}
