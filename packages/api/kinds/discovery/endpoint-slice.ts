import { dns1123Label, dns1123Subdomain, ipFamily, labelValue } from '@kubernode/machinery';
import {
  type Endpoint,
  type EndpointHints,
  type EndpointPort,
  EndpointSlice,
} from '../../generated/types/discovery/v1.ts';
import { duplicate, invalid, notSupported, required as requiredCause } from '../../rules/cause.ts';
import { ordinaryAddress } from '../../rules/endpoint-address.ts';
import { all, each, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { format, immutable, maxItems, oneOf } from '../../rules/values.ts';
import { ipWarnings } from '../../rules/ip-warnings.ts';
import { age, unsetCell } from '../cells.ts';
import { define } from '../define.ts';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const addressesMax = 100;
const endpointsMax = 1000;
const portsMax = 20_000;
const hintsMax = 8;
const shownMax = 3;

const appProtocol = format((value) => labelValue(value.replace('/', '.')));

const hints =
  (checksName: boolean): Rule<readonly { name: string }[]> =>
  (list, path) => [
    ...maxItems(hintsMax)(list, path),
    ...list.flatMap(({ name }, index) => {
      const at = `${path}[${index}].name`;
      const messages = name || checksName ? dns1123Subdomain(name).slice(0, 1) : [];
      const found = messages.map((detail) => invalid(at, name, detail));
      return list.findIndex((other) => other.name === name) < index ? [duplicate(at, name), ...found] : found;
    }),
  ];

const addressRule = (type: string): Rule<string> =>
  type === 'FQDN'
    ? format(dns1123Subdomain)
    : (ip, path) => {
        const found = ordinaryAddress(ip, path);
        if (found.length > 0 || ipFamily(ip) === type) return found;
        return [invalid(path, ip, `must be a valid ${type} address`)];
      };

const endpoint = (type: string): Rule<Endpoint> =>
  all<Endpoint>(
    ({ addresses }, path) => {
      const at = `${path}.addresses`;
      return [
        ...maxItems(addressesMax)(addresses, at),
        ...(addressTypes.includes(type) ? each(addressRule(type))(addresses, at) : []),
      ];
    },
    fields<Endpoint>({
      nodeName: format(dns1123Subdomain),
      hostname: format(dns1123Label),
      hints: fields<EndpointHints>({ forZones: hints(false), forNodes: hints(true) }),
    }),
  );

const port = fields<EndpointPort>({
  name: (value, path) => (value === '' ? [] : format(dns1123Label)(value, path)),
  protocol: oneOf('SCTP', 'TCP', 'UDP'),
  appProtocol,
});

const portNames: Rule<readonly EndpointPort[]> = (list, path) =>
  list.flatMap(({ name = '' }, index) =>
    list.findIndex((other) => (other.name ?? '') === name) < index ? [duplicate(`${path}[${index}].name`, name)] : [],
  );

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
  warnings,
  defaults({ ports }) {
    for (const one of ports ?? []) {
      one.name ??= '';
      one.protocol ??= 'TCP';
    }
  },
  validate: validate<EndpointSlice>(({ addressType, endpoints, ports }) => {
    const type = addressType as string;
    const found = type ? [] : [requiredCause('addressType')];
    if (type && !addressTypes.includes(type)) found.push(notSupported('addressType', type, addressTypes));
    return [
      ...found,
      ...maxItems(endpointsMax)(endpoints ?? [], 'endpoints'),
      ...each(endpoint(type))(endpoints ?? [], 'endpoints'),
      ...all<readonly EndpointPort[]>(maxItems(portsMax), each(port), portNames)(ports ?? [], 'ports'),
    ];
  }),
  validateUpdate: validateUpdate<EndpointSlice>(fields<EndpointSlice>({ addressType: immutable })),
  generation: 'all-and-labels',
  row: (object, nowMs) => [
    object.metadata.name,
    object.addressType,
    listCell((object.ports ?? []).map(({ port: number }) => (number === undefined ? '*' : String(number)))),
    listCell((object.endpoints ?? []).flatMap(({ addresses }) => addresses)),
    age(object, nowMs),
  ],
});

function listCell(items: readonly string[]): string {
  if (items.length === 0) return unsetCell;
  const shown = items.slice(0, shownMax).join(',');
  return items.length > shownMax ? `${shown} + ${items.length - shownMax} more...` : shown;
}
