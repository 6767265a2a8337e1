import { Service, type ServiceSpec } from '../../generated/types/core/v1.ts';
import { forbidden } from '../../rules/cause.ts';
import { ingressWarnings, loadBalancerStatus } from '../../rules/load-balancer.ts';
import { labelName } from '../../rules/names.ts';
import { all, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { keptAddresses } from '../../rules/service/addresses.ts';
import { isExternal, service as serviceRules } from '../../rules/service/service.ts';
import { serviceWarnings } from '../../rules/service/warnings.ts';
import { immutable, sameValue } from '../../rules/values.ts';
import { age, labelsCell, noneCell } from '../cells.ts';
import { define } from '../define.ts';

const affinitySecondsDefault = 10_800;

const keptClass: Rule<ServiceSpec> = (spec, path, old) =>
  old?.type === 'LoadBalancer' && spec.type === 'LoadBalancer' && old.loadBalancerClass !== undefined
    ? immutable(spec.loadBalancerClass, `${path}.loadBalancerClass`, old.loadBalancerClass)
    : [];

/** Load balancers ask there: it stays as long as the service needs one. */
const keptHealthPort: Rule<ServiceSpec> = (spec, path, old) =>
  old && needsHealthPort(old) && needsHealthPort(spec) && spec.healthCheckNodePort !== old.healthCheckNodePort
    ? [forbidden(`${path}.healthCheckNodePort`, 'field is immutable')]
    : [];

export const service = define(Service, {
  validateName: labelName,
  defaults({ spec, status }) {
    for (const ingress of status.loadBalancer.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
    spec.sessionAffinity ||= 'None';
    spec.type ||= 'ClusterIP';
    if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
    else {
      spec.sessionAffinityConfig ??= {};
      spec.sessionAffinityConfig.clientIP ??= {};
      spec.sessionAffinityConfig.clientIP.timeoutSeconds ??= affinitySecondsDefault;
    }
    for (const port of spec.ports ?? []) {
      port.protocol ||= 'TCP';
      if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
    }
    if (isExternal(spec)) spec.externalTrafficPolicy ||= 'Cluster';
    if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster';
    if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
  },
  prepareForCreate({ spec }) {
    if (spec.clusterIP && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
  },
  prepareForUpdate({ spec }, { spec: old }) {
    dropWhatTheTypeHasNot(spec, old);
    keepAllocated(spec, old);
  },
  validate: validate<Service>(serviceRules),
  validateUpdate: validateUpdate<Service>(
    fields<Service>({ spec: all<ServiceSpec>(keptAddresses, keptClass, keptHealthPort) }),
  ),
  validateStatusUpdate: (object) => loadBalancerStatus(object.status.loadBalancer, object.spec.type === 'LoadBalancer'),
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
    'spec.type': ({ spec }) => spec.type ?? '',
  },
  warnings: serviceWarnings,
  statusWarnings: ({ status }) => ingressWarnings(status.loadBalancer.ingress),
  createOnUpdate: true,
  generation: 'none',
  row: (object, nowMs) => [
    object.metadata.name,
    object.spec.type ?? '',
    object.spec.clusterIPs?.[0] ?? noneCell,
    externalCell(object),
    portsCell(object),
    age(object, nowMs),
    labelsCell(object.spec.selector),
  ],
});

/** A change of type takes along what only the old type had, unless the client changed it too. */
function dropWhatTheTypeHasNot(spec: ServiceSpec, old: ServiceSpec): void {
  const had = (test: (of: ServiceSpec) => boolean) => test(old) && !test(spec);
  const isSame = (name: keyof ServiceSpec) => sameValue(spec[name], old[name]);
  if (had(({ type }) => type !== 'ExternalName') && isSame('clusterIPs')) {
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'] as const)
      delete spec[name];
  }
  if (had(({ type }) => type === 'NodePort' || type === 'LoadBalancer') && isSame('ports')) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (had(isExternal) && isSame('externalTrafficPolicy')) delete spec.externalTrafficPolicy;
  if (had(needsHealthPort) && isSame('healthCheckNodePort')) delete spec.healthCheckNodePort;
  if (!had(({ type }) => type === 'LoadBalancer')) return;
  if (isSame('allocateLoadBalancerNodePorts')) delete spec.allocateLoadBalancerNodePorts;
  if (isSame('loadBalancerClass')) delete spec.loadBalancerClass;
}

const needsHealthPort = ({ type, externalTrafficPolicy }: ServiceSpec) =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

/** What the server once gave and a client left out is put back. */
function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.type !== 'ExternalName' && old.type !== 'ExternalName') {
    const { clusterIPs = [] } = old;
    if (!spec.clusterIP && ((spec.clusterIPs ?? []).length === 0 || sameValue(spec.clusterIPs, clusterIPs))) {
      if (old.clusterIP) spec.clusterIP = old.clusterIP;
      if (clusterIPs.length > 0) spec.clusterIPs = [...clusterIPs];
    } else if (spec.clusterIP !== old.clusterIP && sameValue(spec.clusterIPs, clusterIPs)) {
      spec.clusterIPs = spec.clusterIP ? [spec.clusterIP] : [];
    } else if (spec.clusterIP && (spec.clusterIPs ?? []).length === 0) {
      spec.clusterIPs = spec.clusterIP === old.clusterIP ? [...clusterIPs] : [spec.clusterIP];
    } else if (!spec.clusterIP && spec.clusterIPs?.[0] === old.clusterIP && old.clusterIP) {
      spec.clusterIP = old.clusterIP;
    }
    spec.ipFamilyPolicy ??= old.ipFamilyPolicy;
    if ((spec.ipFamilies ?? []).length === 0 && old.ipFamilies) spec.ipFamilies = [...old.ipFamilies];
  }
  const hasNodePorts = ({ type }: ServiceSpec) => type === 'NodePort' || type === 'LoadBalancer';
  if (hasNodePorts(spec) && hasNodePorts(old)) {
    const known = new Map((old.ports ?? []).map((port) => [`${port.protocol}/${port.port}`, port.nodePort]));
    const used = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
    for (const port of spec.ports ?? []) {
      const before = known.get(`${port.protocol}/${port.port}`);
      if (!port.nodePort && before && !used.has(before)) port.nodePort = before;
    }
  }
  if (needsHealthPort(spec) && needsHealthPort(old) && !spec.healthCheckNodePort) {
    spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

function externalCell({ spec, status }: Service): string {
  const external = spec.externalIPs ?? [];
  if (spec.type === 'ExternalName') return spec.externalName || noneCell;
  if (spec.type !== 'LoadBalancer') return external.join(',') || noneCell;
  const ingress = (status.loadBalancer.ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || []);
  return [...new Set(ingress), ...external].join(',') || '<pending>';
}

function portsCell({ spec }: Service): string {
  const cells = (spec.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return cells.join(',') || noneCell;
}
