import { dns1123Label, dns1123Subdomain, wildcardDns1123Subdomain, portName } from '@kubernode/machinery';
import {
  type HTTPIngressPath,
  Ingress,
  type IngressBackend,
  type IngressSpec,
} from '../../generated/types/networking/v1.ts';
import { invalid, notSupported, required as requiredCause } from '../../rules/cause.ts';
import { typedReference } from '../../rules/names.ts';
import { hostCauses, ingressWarnings, loadBalancerStatus } from '../../rules/service/load-balancer.ts';
import { all, each, fields, type Rule, validate } from '../../rules/rule.ts';
import { format, portNumber } from '../../rules/values.ts';
import type { FieldCause } from '../../status-error.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const neverInPaths = ['//', '/./', '/../', '%2f', '%2F'];
const neverAtTheEnd = ['/..', '/.'];

const backend: Rule<IngressBackend> = ({ resource, service }, path) => {
  if (resource && service) return [invalid(path, '', 'cannot set both resource and service backends')];
  if (resource) return typedReference(resource, `${path}.resource`);
  if (!service) return [invalid(path, '', 'resource or service backend is required')];
  const { name, port } = service;
  const found: FieldCause[] = name
    ? dns1123Label(name).map((detail) => invalid(`${path}.service.name`, name, detail))
    : [requiredCause(`${path}.service.name`)];
  if (port.name && port.number) return [...found, invalid(path, '', 'cannot set both port name & port number')];
  if (port.name) return [...found, ...format(portName)(port.name, `${path}.service.port.name`)];
  if (port.number) return [...found, ...portNumber(port.number, `${path}.service.port.number`)];
  return [...found, requiredCause(path, 'port name or number is required')];
};

const httpPath: Rule<HTTPIngressPath> = ({ path: value = '', pathType, backend: target }, path) => {
  if (pathType === undefined) return [requiredCause(`${path}.pathType`, `pathType must be specified`)];
  const found: FieldCause[] = [];
  const at = `${path}.path`;
  if (!pathTypes.includes(pathType)) found.push(notSupported(`${path}.pathType`, pathType, pathTypes));
  else if (pathType === 'ImplementationSpecific') {
    if (value && !value.startsWith('/')) found.push(invalid(at, value, 'must be an absolute path'));
  } else {
    if (!value.startsWith('/')) found.push(invalid(at, value, 'must be an absolute path'));
    const bad = neverInPaths.filter((part) => value.includes(part));
    found.push(...bad.map((part) => invalid(at, value, `must not contain '${part}'`)));
    const ends = neverAtTheEnd.filter((part) => value.endsWith(part));
    found.push(...ends.map((part) => invalid(at, value, `cannot end with '${part}'`)));
  }
  return [...found, ...backend(target, `${path}.backend`)];
};

const rules: Rule<NonNullable<IngressSpec['rules']>> = (list, path) =>
  list.flatMap(({ host, http }, index) => {
    const at = `${path}[${index}]`;
    const found = host ? hostCauses(host, `${at}.host`) : [];
    if (!http) return found;
    if ((http.paths ?? []).length === 0) return [...found, requiredCause(`${at}.http.paths`)];
    return [...found, ...each(httpPath)(http.paths, `${at}.http.paths`)];
  });

const tls: Rule<NonNullable<IngressSpec['tls']>> = (list, path) =>
  list.flatMap(({ hosts = [], secretName }, index) => {
    const found = hosts.flatMap((host, hostIndex) => {
      const at = `${path}[${index}].hosts[${hostIndex}]`;
      const wrong = host.includes('*') ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host);
      return wrong.map((detail) => invalid(at, host, detail));
    });
    if (!secretName) return found;
    return [
      ...found,
      ...dns1123Subdomain(secretName).map((detail) => invalid(`${path}[${index}].secretName`, secretName, detail)),
    ];
  });

const spec = all<IngressSpec>(
  ({ rules: list = [], defaultBackend }, path) =>
    list.length === 0 && !defaultBackend
      ? [invalid(path, list, 'either `defaultBackend` or `rules` must be specified')]
      : [],
  fields<IngressSpec>({ defaultBackend: backend, rules, tls, ingressClassName: format(dns1123Subdomain) }),
);

const classAnnotation = 'kubernetes.io/ingress.class';

export const ingress = define(Ingress, {
  warnings: ({ metadata, spec: wanted }, old) =>
    !old && metadata.annotations?.[classAnnotation] !== undefined && wanted.ingressClassName === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  statusWarnings: ({ status }) => ingressWarnings(status.loadBalancer.ingress),
  validate: validate<Ingress>(fields<Ingress>({ spec })),
  rechecksName: true,
  validateCreate({ metadata, spec: { ingressClassName: name } }) {
    const annotated = metadata.annotations?.[classAnnotation];
    if (annotated === undefined || name === undefined || annotated === name) return [];
    const detail = 'must match `ingressClassName` when both are specified';
    return [invalid(`annotations.${classAnnotation}`, annotated, detail)];
  },
  validateStatusUpdate: ({ status }, { status: old }) =>
    loadBalancerStatus(status.loadBalancer, true, { hasMode: false, old: old.loadBalancer.ingress }),
  row: (object) => {
    const hosts = (object.spec.rules ?? []).flatMap(({ host }) => host || []);
    const addresses = (object.status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => ip || hostname);
    return [
      object.metadata.name,
      object.spec.ingressClassName ?? noneCell,
      hosts.length > 3 ? `${hosts.slice(0, 3).join(',')} + ${hosts.length - 3} more...` : hosts.join(',') || '*',
      addresses.join(','),
      (object.spec.tls ?? []).length > 0 ? '80, 443' : '80',
      age(object),
    ];
  },
});
