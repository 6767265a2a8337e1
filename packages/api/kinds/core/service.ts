import { Service, type ServiceSpec } from '../../generated/types/core/v1.ts';
import { forbidden, invalid } from '../../rules/cause.ts';
import { ingressWarnings, loadBalancerStatus } from '../../rules/service/load-balancer.ts';
import { labelName } from '../../rules/names.ts';
import { all, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { keptAddresses } from '../../rules/service/addresses.ts';
import { isExternal, service as serviceRules } from '../../rules/service/service.ts';
import { serviceWarnings } from '../../rules/service/warnings.ts';
import { isEmpty, sameValue } from '../../rules/values.ts';
import { age, labelsCell, noneCell, unknownCell } from '../cells.ts';
import { define } from '../define.ts';

const affinitySecondsDefault = 10_800;

const keptClass: Rule<ServiceSpec> = (spec, path, old) =>
  old?.type === 'LoadBalancer' && spec.type === 'LoadBalancer' && old.loadBalancerClass !== spec.loadBalancerClass
    ? [invalid(`${path}.loadBalancerClass`, spec.loadBalancerClass, 'may not change once set')]
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
    dropUnreadPolicy(spec);
  },
  prepareForUpdate(object, { spec: old }) {
    const { spec } = object;
    if (spec.type !== 'LoadBalancer') object.status = { ...object.status, loadBalancer: {} };
    keepAllocated(spec, old);
    dropWhatTheTypeHasNot(spec, old);
    dropUnreadPolicy(spec);
  },
  validateCreate: validate<Service>(serviceRules),
  validateUpdate: validateUpdate<Service>(
    serviceRules,
    fields<Service>({ spec: all<ServiceSpec>(keptAddresses, keptClass, keptHealthPort) }),
  ),
  validateStatusUpdate: (object, old) =>
    loadBalancerStatus(object.status.loadBalancer, object.spec.type === 'LoadBalancer', {
      old: old.status.loadBalancer.ingress,
    }),
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
    'spec.type': ({ spec }) => spec.type ?? '',
  },
  warnings: serviceWarnings,
  statusWarnings: ({ status }) => ingressWarnings(status.loadBalancer.ingress),
  createOnUpdate: true,
  generation: 'none',
  row: (object) => [
    object.metadata.name,
    object.spec.type ?? '',
    object.spec.clusterIPs?.[0] ?? noneCell,
    externalCell(object),
    portsCell(object),
    age(object),
    labelsCell(object.spec.selector),
  ],
});

/** Names have no traffic of their own, so what is said of it is not kept. */
function dropUnreadPolicy(spec: ServiceSpec): void {
  const isKnown = spec.internalTrafficPolicy === 'Cluster' || spec.internalTrafficPolicy === 'Local';
  if (spec.type === 'ExternalName' && isKnown) delete spec.internalTrafficPolicy;
}

/** A change of type takes along what only the old type had, unless the client changed it too. */
function dropWhatTheTypeHasNot(spec: ServiceSpec, old: ServiceSpec): void {
  const had = (test: (of: ServiceSpec) => boolean) => test(old) && !test(spec);
  const isSame = (name: keyof ServiceSpec) => sameValue(spec[name], old[name]);
  if (had(({ type }) => type !== 'ExternalName')) {
    if (isSame('clusterIP') && isSame('clusterIPs')) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (isSame('ipFamilies')) delete spec.ipFamilies;
    if (isSame('ipFamilyPolicy')) delete spec.ipFamilyPolicy;
  }
  if (had(hasNodePorts)) {
    const before = new Set((old.ports ?? []).map(({ nodePort = 0 }) => nodePort));
    const isOld = (spec.ports ?? []).every(({ nodePort = 0 }) => nodePort === 0 || before.has(nodePort));
    if (isOld) for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (had(needsHealthPort) && isSame('healthCheckNodePort')) delete spec.healthCheckNodePort;
  if (had(({ type }) => type === 'LoadBalancer')) {
    if (isSame('allocateLoadBalancerNodePorts')) delete spec.allocateLoadBalancerNodePorts;
    if (isSame('loadBalancerClass')) delete spec.loadBalancerClass;
  }
  if (had(isExternal) && isSame('externalTrafficPolicy')) delete spec.externalTrafficPolicy;
}

const hasNodePorts = ({ type }: ServiceSpec) => type === 'NodePort' || type === 'LoadBalancer';

const needsHealthPort = ({ type, externalTrafficPolicy }: ServiceSpec) =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

/** What the server once gave and a client left out is put back; the two names of the address go together. */
function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.type !== 'ExternalName' && old.type !== 'ExternalName') {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (isEmpty(spec.clusterIPs) && !isEmpty(old.clusterIPs)) spec.clusterIPs = [...(old.clusterIPs ?? [])];
  }
  if (hasNodePorts(spec) && hasNodePorts(old)) keepNodePorts(spec, old);
  if (needsHealthPort(spec) && needsHealthPort(old) && !spec.healthCheckNodePort) {
    spec.healthCheckNodePort = old.healthCheckNodePort;
  }
  const isSameAddress = (spec.clusterIP ?? '') === (old.clusterIP ?? '');
  if (isEmpty(spec.clusterIPs) && !isEmpty(old.clusterIPs) && isSameAddress)
    spec.clusterIPs = [...(old.clusterIPs ?? [])];
  const areSame = sameValue(spec.clusterIPs, old.clusterIPs);
  if (isSameAddress || !areSame) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else if (isEmpty(old.clusterIP)) return;
  else delete spec.clusterIPs;
}

/** Ports are told by their names; a number that is still asked for elsewhere is not given again. */
function keepNodePorts({ ports = [] }: ServiceSpec, { ports: before = [] }: ServiceSpec): void {
  const asked = new Set(ports.map(({ nodePort = 0 }) => nodePort));
  const used = new Set(before.map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0 && asked.has(port)));
  const known = new Map(before.map(({ name = '', nodePort }) => [name, nodePort]));
  for (const port of ports) {
    const number = known.get(port.name ?? '');
    if (!port.nodePort && number && !used.has(number)) port.nodePort = number;
  }
}

function externalCell({ spec, status }: Service): string {
  const external = spec.externalIPs ?? [];
  if (spec.type === undefined) return unknownCell;
  if (spec.type === 'ExternalName') return spec.externalName ?? '';
  if (spec.type !== 'LoadBalancer') return external.join(',') || noneCell;
  const ingress = (status.loadBalancer.ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || []);
  return [...[...new Set(ingress)].toSorted(), ...external].join(',') || '<pending>';
}

function portsCell({ spec }: Service): string {
  const cells = (spec.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return cells.join(',') || noneCell;
}
