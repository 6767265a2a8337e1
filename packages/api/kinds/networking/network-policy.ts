import { cidr, cidrContains, parseCidr, portName } from '@kubernode/machinery';
import {
  type IPBlock,
  NetworkPolicy,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
  type NetworkPolicySpec,
} from '../../generated/types/networking/v1.ts';
import { forbidden, invalid, required as requiredCause } from '../../rules/cause.ts';
import { all, each, fields, type Rule, validate } from '../../rules/rule.ts';
import { labelSelector } from '../../rules/selector.ts';
import { format, oneOf, portNumber } from '../../rules/values.ts';
import type { FieldCause } from '../../status-error.ts';
import { cidrWarnings } from '../../rules/service/ip-warnings.ts';
import { age, selectorCell } from '../cells.ts';
import { define } from '../define.ts';

const port: Rule<NetworkPolicyPort> = ({ protocol, port: value, endPort }, path) => {
  const found: FieldCause[] =
    protocol === undefined ? [] : [...oneOf('SCTP', 'TCP', 'UDP')(protocol, `${path}.protocol`)];
  const at = `${path}.endPort`;
  if (typeof value === 'number') {
    found.push(...portNumber(value, `${path}.port`));
    if (endPort !== undefined && endPort < value)
      found.push(invalid(at, endPort, 'must be greater than or equal to `port`'));
    if (endPort !== undefined) found.push(...portNumber(endPort, at));
  } else if (value !== undefined) {
    found.push(...format(portName)(value, `${path}.port`));
    if (endPort !== undefined) found.push(invalid(at, endPort, 'may not be specified when `port` is non-numeric'));
  } else if (endPort !== undefined)
    found.push(invalid(at, endPort, 'may not be specified when `port` is not specified'));
  return found;
};

const ipBlock: Rule<IPBlock> = ({ cidr: block, except = [] }, path) => {
  if (!block) return [requiredCause(`${path}.cidr`)];
  const found: FieldCause[] = cidr(block).map((detail) => invalid(`${path}.cidr`, block, detail));
  const outer = parseCidr(block);
  if (!outer) return found;
  except.forEach((hole, index) => {
    const at = `${path}.except[${index}]`;
    const messages = cidr(hole);
    found.push(...messages.map((detail) => invalid(at, hole, detail)));
    if (messages.length > 0) return;
    const inner = parseCidr(hole);
    const isWithin = inner && cidrContains(outer, hole.split('/')[0] ?? '') && inner.prefixLength > outer.prefixLength;
    if (!isWithin) found.push(invalid(at, hole, 'must be a strict subset of `cidr`'));
  });
  return found;
};

const peer = all<NetworkPolicyPeer>(
  fields<NetworkPolicyPeer>({ podSelector: labelSelector, namespaceSelector: labelSelector, ipBlock }),
  ({ podSelector, namespaceSelector, ipBlock: block }, path) => {
    if (!podSelector && !namespaceSelector && !block) return [requiredCause(path, 'must specify a peer')];
    const both = block && (podSelector ?? namespaceSelector);
    return both ? [forbidden(path, 'may not specify both ipBlock and another peer')] : [];
  },
);

const types = ['Egress', 'Ingress'];

const spec = all<NetworkPolicySpec>(
  fields<NetworkPolicySpec>({
    podSelector: labelSelector,
    ingress: each(fields<NonNullable<NetworkPolicySpec['ingress']>[number]>({ ports: each(port), from: each(peer) })),
    egress: each(fields<NonNullable<NetworkPolicySpec['egress']>[number]>({ ports: each(port), to: each(peer) })),
  }),
  ({ policyTypes = [] }, path) => {
    const at = `${path}.policyTypes`;
    if (policyTypes.length > types.length)
      return [invalid(at, policyTypes, 'may not specify more than two policyTypes')];
    return each<string>(oneOf(...types))(policyTypes, at);
  },
);

function warnings({ spec: { ingress = [], egress = [] } }: NetworkPolicy): readonly string[] {
  const ofPeer = ({ ipBlock: block }: NetworkPolicyPeer, at: string) => [
    ...cidrWarnings(block?.cidr, `${at}.ipBlock.cidr`),
    ...(block?.except ?? []).flatMap((hole, index) => cidrWarnings(hole, `${at}.ipBlock.except[${index}]`)),
  ];
  const peers = (list: readonly NetworkPolicyPeer[] = [], at: string) =>
    list.flatMap((one, index) => ofPeer(one, `${at}[${index}]`));
  return [
    ...ingress.flatMap(({ from }, index) => peers(from, `spec.ingress[${index}].from`)),
    ...egress.flatMap(({ to }, index) => peers(to, `spec.egress[${index}].to`)),
  ];
}

export const networkPolicy = define(NetworkPolicy, {
  warnings,
  defaults({ spec: wanted }) {
    const rules = [...(wanted.ingress ?? []), ...(wanted.egress ?? [])];
    for (const { ports } of rules) for (const one of ports ?? []) one.protocol ??= 'TCP';
    if ((wanted.policyTypes ?? []).length > 0) return;
    wanted.policyTypes = (wanted.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  validate: validate<NetworkPolicy>(fields<NetworkPolicy>({ spec })),
  generation: 'spec',
  row: (object) => [object.metadata.name, selectorCell(object.spec.podSelector), age(object)],
});
