import { dns1123Label, dns1123Subdomain, qualifiedName } from '@kubernode/machinery';
import {
  type EndpointAddress,
  type EndpointPort,
  Endpoints,
  type EndpointSubset,
} from '../../generated/types/core/v1.ts';
import { required as requiredCause } from '../../rules/cause.ts';
import { endpointAddress } from '../../rules/service/endpoint-address.ts';
import { each, fields, orZero, type Rule, validate } from '../../rules/rule.ts';
import { format, portNumber, requiredOneOf } from '../../rules/values.ts';
import { ipWarnings } from '../../rules/service/ip-warnings.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

const addressesShown = 3;

const address = fields<EndpointAddress>({
  ip: endpointAddress,
  hostname: format(dns1123Label),
  nodeName: format(dns1123Subdomain),
});

const port =
  (isNamed: boolean): Rule<EndpointPort> =>
  (value, path) => [
    ...(isNamed && !value.name ? [requiredCause(`${path}.name`)] : []),
    ...fields<EndpointPort>({
      name: format(dns1123Label),
      port: orZero(portNumber),
      protocol: requiredOneOf('SCTP', 'TCP', 'UDP'),
      appProtocol: format(qualifiedName),
    })(value, path),
  ];

const subset: Rule<EndpointSubset> = ({ addresses = [], notReadyAddresses = [], ports = [] }, path) => {
  const found =
    addresses.length + notReadyAddresses.length === 0
      ? [requiredCause(path, 'must specify `addresses` or `notReadyAddresses`')]
      : [];
  return [
    ...found,
    ...each(address)(addresses, `${path}.addresses`),
    ...each(address)(notReadyAddresses, `${path}.notReadyAddresses`),
    ...each(port(ports.length > 1))(ports, `${path}.ports`),
  ];
};

function warnings({ metadata, subsets }: Endpoints): readonly string[] {
  if (metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return [];
  return (subsets ?? []).flatMap((subset, index) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((name) =>
      (subset[name] ?? []).flatMap(({ ip }, position) => ipWarnings(ip, `subsets[${index}].${name}[${position}].ip`)),
    ),
  );
}

export const endpoints = define(Endpoints, {
  rechecksName: true,
  warnings,
  defaults({ subsets }) {
    for (const { ports } of subsets ?? []) for (const one of ports ?? []) one.protocol ||= 'TCP';
  },
  createOnUpdate: true,
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  validate: validate<Endpoints>(fields<Endpoints>({ subsets: each(subset) })),
  row: (object) => [object.metadata.name, endpointsCell(object), age(object)],
});

/** The first three, and how many more. */
function endpointsCell({ subsets = [] }: Endpoints): string {
  const all = subsets.flatMap(({ addresses = [], ports = [] }) => {
    if (ports.length === 0) return addresses.map(({ ip }) => ip);
    return ports.flatMap(({ port: number }) =>
      addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${number}` : `${ip}:${number}`)),
    );
  });
  if (all.length === 0) return noneCell;
  const shown = all.slice(0, addressesShown).join(',');
  return all.length > addressesShown ? `${shown} + ${all.length - addressesShown} more...` : shown;
}
