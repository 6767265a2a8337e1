import { cidr, dns1123Label, dns1123Subdomain, portName, qualifiedName } from '@kubernode/machinery';
import type { Service, ServicePort, ServiceSpec } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, notSupported, required as requiredCause } from '../cause.ts';
import { ordinaryAddress, specialAddress } from './endpoint-address.ts';
import { labels } from '../metadata.ts';
import { all, each, evenIfAbsent, fields, foundIn, type Rule } from '../rule.ts';
import { format, oneOf, portNumber, requiredOneOf } from '../values.ts';
import { addresses } from './addresses.ts';

const affinitySecondsMax = 86_400;
const distributions = ['PreferClose', 'PreferSameNode', 'PreferSameZone'];

const isHeadless = ({ clusterIPs }: ServiceSpec) => clusterIPs?.length === 1 && clusterIPs[0] === 'None';
const isLoadBalancer = ({ type }: ServiceSpec) => type === 'LoadBalancer';

/** Reached from outside of the cluster: by a port of the node, a load balancer, or an address of its own. */
export const isExternal = ({ type, externalIPs = [] }: ServiceSpec) =>
  type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0);

const port = fields<ServicePort>({
  name: format(dns1123Label),
  protocol: requiredOneOf('SCTP', 'TCP', 'UDP'),
  port: portNumber,
  targetPort: (value, path) => (typeof value === 'number' ? portNumber(value, path) : format(portName)(value, path)),
  appProtocol: format(qualifiedName),
});

const ports: Rule<ServiceSpec> = (spec, path) => {
  const list = spec.ports ?? [];
  const at = `${path}.ports`;
  if (list.length === 0) return isHeadless(spec) || spec.type === 'ExternalName' ? [] : [requiredCause(at)];
  const found: FieldCause[] = [];
  const names = new Set<string>();
  const numbers = new Set<string>();
  const nodePorts = new Set<string>();
  list.forEach((one, index) => {
    const { name = '', protocol, port: number, nodePort = 0 } = one;
    const item = `${at}[${index}]`;
    if (!name && list.length > 1) found.push(requiredCause(`${item}.name`));
    if (name && names.has(name)) found.push(duplicate(`${item}.name`, name));
    names.add(name);
    found.push(...port(one, item));
    const key = `${protocol}/${number}`;
    if (numbers.has(key)) found.push(duplicate(item, { protocol, port: number }));
    numbers.add(key);
    if (nodePort === 0) return;
    if (spec.type === 'ClusterIP')
      found.push(forbidden(`${item}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
    const nodeKey = `${protocol}/${nodePort}`;
    if (nodePorts.has(nodeKey)) found.push(duplicate(`${item}.nodePort`, nodePort));
    nodePorts.add(nodeKey);
  });
  return found;
};

const byType: Rule<ServiceSpec> = (spec, path) => {
  const { type, externalName = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const found: FieldCause[] = [];
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    found.push(invalid(`${path}.clusterIPs[0]`, 'None', `may not be set to 'None' for ${type} services`));
  }
  if (type !== 'ExternalName') return found;
  const detail = 'may not be set for ExternalName services';
  if (clusterIPs.length > 0) found.push(forbidden(`${path}.clusterIPs`, detail));
  if (ipFamilies.length > 0) found.push(forbidden(`${path}.ipFamilies`, detail));
  if (ipFamilyPolicy !== undefined) found.push(forbidden(`${path}.ipFamilyPolicy`, detail));
  const at = `${path}.externalName`;
  const name = externalName.replace(/\.$/, '');
  if (!name) found.push(requiredCause(at));
  else found.push(...dns1123Subdomain(name).map((message) => invalid(at, name, message)));
  return found;
};

const sessionAffinity: Rule<ServiceSpec> = ({ sessionAffinity: kind, sessionAffinityConfig: config }, path) => {
  const found = [...requiredOneOf('ClientIP', 'None')(kind ?? '', `${path}.sessionAffinity`)];
  const at = `${path}.sessionAffinityConfig`;
  if (kind === 'None' && config) found.push(forbidden(at, 'must not be set when session affinity is None'));
  if (kind !== 'ClientIP') return found;
  const seconds = config?.clientIP?.timeoutSeconds;
  if (seconds === undefined)
    return [...found, requiredCause(`${at}.clientIP`, 'when session affinity type is ClientIP')];
  if (seconds > 0 && seconds <= affinitySecondsMax) return found;
  const detail = `must be greater than 0 and less than ${affinitySecondsMax}`;
  return [...found, invalid(`${at}.clientIP.timeoutSeconds`, seconds, detail)];
};

const traffic: Rule<ServiceSpec> = (spec, path) => {
  const { externalTrafficPolicy: external, healthCheckNodePort: health = 0, internalTrafficPolicy: internal } = spec;
  const found: FieldCause[] = [];
  const at = `${path}.externalTrafficPolicy`;
  if (isExternal(spec)) found.push(...requiredOneOf('Cluster', 'Local')(external ?? '', at));
  else if (external) found.push(invalid(at, external, 'may only be set for externally-accessible services'));
  const needsHealth = isLoadBalancer(spec) && external === 'Local';
  if (health !== 0 && !needsHealth) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    found.push(invalid(`${path}.healthCheckNodePort`, health, detail));
  } else if (health !== 0) {
    found.push(...portNumber(health, `${path}.healthCheckNodePort`));
  }
  const isKnown = ['ClusterIP', 'LoadBalancer', 'NodePort'].includes(spec.type ?? '');
  if (isKnown && internal === undefined) found.push(requiredCause(`${path}.internalTrafficPolicy`));
  else if (internal !== undefined) found.push(...oneOf('Cluster', 'Local')(internal, `${path}.internalTrafficPolicy`));
  return found;
};

const loadBalancer: Rule<ServiceSpec> = (spec, path, old) => {
  const { loadBalancerSourceRanges: ranges = [], allocateLoadBalancerNodePorts: allocates, loadBalancerClass } = spec;
  const only = "may only be used when `type` is 'LoadBalancer'";
  const found: FieldCause[] = [];
  const at = `${path}.LoadBalancerSourceRanges`;
  const kept = new Set((old?.loadBalancerSourceRanges ?? []).map((range) => range.trim()));
  if (ranges.length > 0 && !isLoadBalancer(spec)) found.push(forbidden(at, only));
  found.push(
    ...each<string>((range, item) =>
      kept.has(range.trim()) ? [] : cidr(range.trim()).map((detail) => invalid(item, range, detail)),
    )(ranges, at),
  );
  if (isLoadBalancer(spec) && allocates === undefined) {
    found.push(requiredCause('allocateLoadBalancerNodePorts'));
  } else if (!isLoadBalancer(spec) && allocates !== undefined) {
    found.push(forbidden(`${path}.allocateLoadBalancerNodePorts`, only));
  }
  if (loadBalancerClass === undefined) return found;
  if (!isLoadBalancer(spec)) return [...found, forbidden(`${path}.loadBalancerClass`, only)];
  return [...found, ...format(qualifiedName)(loadBalancerClass, `${path}.loadBalancerClass`)];
};

const spec = all<ServiceSpec>(
  ports,
  byType,
  fields<ServiceSpec>({
    selector: labels,
    externalIPs: (ips, path, old) => {
      const before = new Set(old);
      return foundIn(ips, (ip, index) => {
        const at = `${path}[${index}]`;
        return before.has(ip) ? specialAddress(ip, at) : ordinaryAddress(ip, at);
      });
    },
    type: requiredOneOf('ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'),
    trafficDistribution: (value, path) =>
      distributions.includes(value) ? [] : [notSupported(path, value, distributions)],
  }),
  sessionAffinity,
  addresses,
  traffic,
  loadBalancer,
);

const hints = 'service.kubernetes.io/topology-aware-hints';
const mode = 'service.kubernetes.io/topology-mode';
const sourceRanges = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** What older releases said in annotations. */
const annotated: Rule<Service> = (
  { metadata: { annotations = {} }, spec: { type, loadBalancerSourceRanges } },
  _,
  old,
) => {
  const found: FieldCause[] = [];
  const at = (key: string) => `metadata.annotations[${key}]`;
  if (annotations[mode] !== undefined && annotations[hints] !== undefined && annotations[mode] !== annotations[hints])
    found.push(invalid(at(mode), annotations[mode], `must match annotations[${hints}] when both are specified`));
  const ranges = annotations[sourceRanges];
  if (ranges === undefined || (loadBalancerSourceRanges ?? []).length > 0) return found;
  if (type !== 'LoadBalancer')
    found.push(forbidden(at(sourceRanges), "may only be used when `type` is 'LoadBalancer'"));
  if (old?.metadata.annotations?.[sourceRanges] === ranges || ranges.trim() === '') return found;
  const wrong = ranges
    .split(',')
    .flatMap((range) => cidr(range.trim()).map((detail) => invalid(at(sourceRanges), range.trim(), detail)));
  return [...found, ...wrong];
};

export const service = all<Service>(
  annotated,
  fields<Service>({
    spec: evenIfAbsent((value: ServiceSpec | undefined, path, old?: ServiceSpec) => spec(value ?? {}, path, old)),
  }),
);
