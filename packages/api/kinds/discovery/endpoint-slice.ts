import {
  canonicalIpAddress,
  dns1123Label,
  dns1123Subdomain,
  ipAddress as ipAddressMessages,
  ipFamily,
  labelValue,
  qualifiedName,
} from '@kubernode/machinery';
import {
  type Endpoint,
  type EndpointHints,
  type EndpointPort,
  EndpointSlice,
} from '../../generated/types/discovery/v1.ts';
import { duplicate, invalid, notSupported, required as requiredCause, tooMany } from '../../rules/cause.ts';
import { ordinaryAddress } from '../../rules/service/endpoint-address.ts';
import { labels } from '../../rules/metadata.ts';
import { all, each, fields, inOrder, type Rule } from '../../rules/rule.ts';
import { format, immutable, maxItems, oneOf, semanticallyEqual } from '../../rules/values.ts';
import { ipWarnings } from '../../rules/service/ip-warnings.ts';
import { age, unsetCell } from '../cells.ts';
import { define } from '../define.ts';
import { repeatedAt } from '../../rules/repeated.ts';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const addressesMax = 100;
const endpointsMax = 1000;
const portsMax = 20_000;
const hintsMax = 8;
const shownMax = 3;

/** Zones are values of labels, nodes names of objects; of too many none is looked at. */
const hints =
  (validator: (name: string) => readonly string[]): Rule<readonly { name: string }[]> =>
  (list, path) => {
    if (list.length > hintsMax) return maxItems(hintsMax)(list, path);
    return list.flatMap(({ name }, index) => {
      const at = `${path}[${index}].name`;
      const found = validator(name).map((detail) => invalid(at, name, detail));
      return list.findIndex((other) => other.name === name) < index ? [duplicate(at, name), ...found] : found;
    });
  };

const hintRules = (value: EndpointHints, path: string) => {
  const found = value.forZones ? hints(labelValue)(value.forZones, `${path}.forZones`) : [];
  const isTooMany = (value.forZones ?? []).length > hintsMax;
  if (isTooMany || !value.forNodes) return found;
  return [...found, ...hints(dns1123Subdomain)(value.forNodes, `${path}.forNodes`)];
};

/** A domain of two labels at least, with or without a dot at the end (IsFullyQualifiedDomainName). */
const domain: Rule<string> = (value, path) => {
  if (value === '') return [requiredCause(path)];
  const name = value.replace(/\.$/, '');
  const messages = dns1123Subdomain(name);
  if (messages.length > 0) return [invalid(path, name, messages.join(','))];
  const labels = name.split('.');
  if (labels.length < 2)
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  const wrong = labels.find((label) => dns1123Label(label).length > 0);
  return wrong === undefined ? [] : [invalid(path, wrong, dns1123Label(wrong).join(','))];
};

/** Addresses of IPv6 are in canonical form; that one is of another family is told of the list as a whole. */
const addressRule = (type: string): Rule<string> => {
  if (type === 'FQDN') return domain;
  const validator = type === 'IPv4' ? ipAddressMessages : canonicalIpAddress;
  return (ip, path) => {
    const found = validator(ip).map((detail) => invalid(path, ip, detail));
    if (found.length > 0) return found;
    const list = path.replace(/\[\d+\]$/, '');
    const other = ipFamily(ip) === type ? [] : [invalid(list, ip, `must be an ${type} address`)];
    return [...other, ...ordinaryAddress(ip, path)];
  };
};

const topologyMax = 16;

const topology: Rule<Record<string, string>> = (map, path) => [
  ...(Object.keys(map).length > topologyMax ? [tooMany(path, Object.keys(map).length, topologyMax)] : []),
  ...labels(map, path),
];

const endpoint = (type: string): Rule<Endpoint> =>
  all<Endpoint>(
    ({ addresses }, path) => {
      const at = `${path}.addresses`;
      if (addresses.length === 0) return [requiredCause(at, 'must contain at least 1 address')];
      return [
        ...maxItems(addressesMax)(addresses, at),
        ...(addressTypes.includes(type) ? each(addressRule(type))(addresses, at) : []),
      ];
    },
    fields<Endpoint>({
      nodeName: format(dns1123Subdomain),
      deprecatedTopology: topology,
      hostname: format(dns1123Label),
      hints: hintRules,
    }),
  );

const port = fields<EndpointPort>({
  name: (value, path) => (value === '' ? [] : format(dns1123Label)(value, path)),
  protocol: oneOf('SCTP', 'TCP', 'UDP'),
  appProtocol: format(qualifiedName),
});

const portNames: Rule<readonly EndpointPort[]> = (list, path) =>
  repeatedAt(list.map(({ name = '' }) => name)).map((index) => duplicate(`${path}[${index}].name`, list[index]?.name));

const portRules = inOrder<readonly EndpointPort[]>([
  maxItems(portsMax),
  all<readonly EndpointPort[]>(each(port), portNames),
]);

const endpointRules = ({ endpoints, addressType }: EndpointSlice) =>
  inOrder<readonly Endpoint[]>([maxItems(endpointsMax), each(endpoint(addressType as string))])(
    endpoints ?? [],
    'endpoints',
  );

/** The map in which older versions named node and zone is not written any more. */
function dropTopology(endpoints: readonly Endpoint[] | undefined): void {
  for (const one of endpoints ?? []) delete one.deprecatedTopology;
}

const byControllers = new Set(['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']);

function warnings({ addressType, endpoints, metadata }: EndpointSlice, old: EndpointSlice | undefined): string[] {
  const found = addressType === 'FQDN' && !old ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  if (byControllers.has(metadata.labels?.['endpointslice.kubernetes.io/managed-by'] ?? '')) return found;
  const odd = (endpoints ?? []).flatMap(({ addresses }, index) =>
    addresses.flatMap((ip, position) => ipWarnings(ip, `endpoints[${index}].addresses[${position}]`)),
  );
  return [...found, ...odd];
}

export const endpointSlice = define(EndpointSlice, {
  rechecksName: true,
  warnings,
  defaults({ ports }) {
    for (const one of ports ?? []) {
      one.name ??= '';
      one.protocol ??= 'TCP';
    }
  },
  prepareForCreate: ({ endpoints }) => dropTopology(endpoints),
  prepareForUpdate(object, old) {
    if (semanticallyEqual(object.endpoints, old.endpoints)) return;
    // Upstream counts the change before it drops what was sent.
    object.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
    dropTopology(object.endpoints);
  },
  validate: ({ addressType, ports }) => {
    const type = addressType as string;
    const found = type ? [] : [requiredCause('addressType')];
    if (type && !addressTypes.includes(type)) found.push(notSupported('addressType', type, addressTypes));
    return [...found, ...portRules(ports ?? [], 'ports')];
  },
  validateCreate: endpointRules,
  // What was let through once may stay.
  validateUpdate: (object, old) => [
    ...(semanticallyEqual(object.endpoints, old.endpoints) ? [] : endpointRules(object)),
    ...fields<EndpointSlice>({ addressType: immutable })(object, '', old),
  ],
  generation: 'all-and-labels',
  row: (object) => [
    object.metadata.name,
    object.addressType,
    listCell((object.ports ?? []).map(({ port: number }) => (number === undefined ? '*' : String(number)))),
    listCell((object.endpoints ?? []).flatMap(({ addresses }) => addresses)),
    age(object),
  ],
});

function listCell(items: readonly string[]): string {
  if (items.length === 0) return unsetCell;
  const shown = items.slice(0, shownMax).join(',');
  return items.length > shownMax ? `${shown} + ${items.length - shownMax} more...` : shown;
}
