import { cidr as cidrMessages, labelValue, parseCidr, qualifiedName } from '@kubernode/machinery';
import { Node, type NodeSpec, type NodeStatus, type Taint } from '../../generated/types/core/v1.ts';
import { duplicate, forbidden, invalid } from '../../rules/cause.ts';
import { cidrWarnings } from '../../rules/service/ip-warnings.ts';
import { resourceQuantity } from '../../rules/resources/resources.ts';
import { all, each, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { requiredOneOf, sameValue } from '../../rules/values.ts';
import type { FieldCause } from '../../status-error.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

const taint: Rule<Taint> = all<Taint>(
  ({ key, value = '' }, path) => [
    ...qualifiedName(key).map((detail) => invalid(`${path}.key`, key, detail)),
    ...(labelValue(value).length > 0 ? [invalid(`${path}.value`, value, labelValue(value).join(';'))] : []),
  ],
  fields<Taint>({ effect: requiredOneOf('NoExecute', 'NoSchedule', 'PreferNoSchedule') }),
);

/** One taint a key and effect; causes are below metadata, as upstream's. */
const taints: Rule<Node> = ({ spec }) => {
  const list = spec.taints ?? [];
  const seen = new Set<string>();
  const twice = list.flatMap(({ key, effect }, index) => {
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) return [duplicate(`metadata.taints[${index}]`, { key, effect })];
    seen.add(pair);
    return [];
  });
  return [...each(taint)(list, 'metadata.taints'), ...twice];
};

/** Upstream takes it for its own failure that what it looks at is no network. */
const undecided = (field: string, cidr: string): FieldCause => ({
  reason: 'InternalError',
  message: `Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR: ${cidr}`,
  field,
});

const podCIDRs: Rule<Node> = ({ spec }) => {
  const list = spec.podCIDRs ?? [];
  const at = 'spec.podCIDRs';
  const found = list.flatMap((cidr, index) =>
    cidrMessages(cidr)
      .slice(0, 1)
      .map((detail) => invalid(`${at}[${index}]`, cidr, detail)),
  );
  if (list.length < 2) return found;
  const networks = list.map((cidr) => parseCidr(cidr)?.family);
  const unreadable = list[networks.indexOf(undefined)];
  if (unreadable !== undefined) found.push(undecided(at, unreadable));
  const isDual = unreadable === undefined && new Set(networks).size === 2;
  if (!isDual || list.length > 2) found.push(invalid(at, list, 'may specify no more than one CIDR for each IP family'));
  return found;
};

const amounts = (list: NonNullable<NodeStatus['capacity']>, path: string) =>
  Object.entries(list).flatMap(([name, quantity]) => resourceQuantity(name)(quantity, `${path}.${name}`));

const featureName = /^([A-Z][a-zA-Z0-9]*)(\/[A-Z][a-zA-Z0-9]*)*$/;
const featureNameBytesMax = 253;

/** Names of features, in order and each once. */
const declaredFeatures: Rule<readonly string[]> = (names, path) =>
  names.flatMap((name, index) => {
    const at = `${path}[${index}]`;
    const before = names[index - 1];
    const found: FieldCause[] = [];
    if (name.length > featureNameBytesMax || !featureName.test(name))
      found.push(invalid(at, name, `invalid feature name ${JSON.stringify(name)}: must be segments in UpperCamelCase`));
    if (before !== undefined && before === name) found.push(duplicate(at, name));
    else if (before !== undefined && before > name) found.push(invalid(at, name, 'list must be sorted alphabetically'));
    return found;
  });

const status = fields<NodeStatus>({ capacity: amounts, allocatable: amounts, declaredFeatures });

const eachAddressOnce: Rule<Node> = ({ status: { addresses = [] } }) => {
  const seen = new Set<string>();
  return addresses.flatMap((address, index) => {
    const key = JSON.stringify([address.type, address.address]);
    if (seen.has(key)) return [duplicate(`status.addresses[${index}]`, address)];
    seen.add(key);
    return [];
  });
};

/** Once a node has an identity and pod addresses, they stay. */
const specUpdate: Rule<NodeSpec> = (spec, path, old) => {
  if (!old) return [];
  const found = [];
  const had = old.podCIDRs ?? [];
  if (had.length > 0 && !sameValue(spec.podCIDRs, had)) {
    found.push(forbidden(`${path}.podCIDRs`, 'node updates may not change podCIDR except from "" to valid'));
  }
  if (old.providerID && spec.providerID !== old.providerID) {
    found.push(invalid(`${path}.providerID`, spec.providerID ?? '', 'must not be changed once set'));
  }
  if ((spec.externalID ?? '') !== (old.externalID ?? '')) {
    found.push(forbidden(`${path}.externalID`, 'may not be updated'));
  }
  return found;
};

export const node = define(Node, {
  rechecksName: true,
  defaults({ spec, status: now }) {
    if (spec.podCIDR && (spec.podCIDRs ?? []).length === 0) spec.podCIDRs = [spec.podCIDR];
    if (spec.podCIDR && spec.podCIDR !== spec.podCIDRs?.[0]) spec.podCIDRs = [spec.podCIDR];
    if (spec.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
    if (now.capacity && !now.allocatable) now.allocatable = { ...now.capacity };
  },
  keepsStatusAtCreation: true,
  /** Kubelets are no longer configured from here. */
  prepareForCreate({ spec, status: now }) {
    delete spec.configSource;
    delete now.config;
  },
  prepareForUpdate({ spec }, old) {
    if (!old.spec.configSource) delete spec.configSource;
  },
  prepareForStatusUpdate({ status: now }, { status: old }) {
    if (!old.config) delete now.config;
  },
  validate: validate<Node>(taints, podCIDRs),
  validateCreate: validate<Node>(fields<Node>({ status })),
  validateUpdate: validateUpdate<Node>(fields<Node>({ status, spec: specUpdate }), eachAddressOnce),
  validateStatusUpdate: validateUpdate<Node>(fields<Node>({ status, spec: specUpdate }), taints, eachAddressOnce),
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
  generation: 'none',
  warnings({ spec }) {
    const found: string[] = [];
    if (spec.configSource) found.push('spec.configSource: the feature is removed');
    if (spec.externalID) found.push('spec.externalID: this field is deprecated, and is unused by Kubernetes');
    const ranges = spec.podCIDRs ?? [];
    return [...found, ...ranges.flatMap((range, index) => cidrWarnings(range, `spec.podCIDRs[${index}]`))];
  },
  row: (object) => {
    const { nodeInfo } = object.status;
    return [
      object.metadata.name,
      statusCell(object),
      rolesCell(object),
      age(object),
      nodeInfo.kubeletVersion,
      addressCell(object, 'InternalIP'),
      addressCell(object, 'ExternalIP'),
      nodeInfo.osImage || '<unknown>',
      nodeInfo.kernelVersion || '<unknown>',
      nodeInfo.containerRuntimeVersion || '<unknown>',
    ];
  },
});

function statusCell({ spec, status: { conditions = [] } }: Node): string {
  const ready = conditions.find(({ type }) => type === 'Ready');
  const word = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return spec.unschedulable ? `${word},SchedulingDisabled` : word;
}

function rolesCell({ metadata }: Node): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return key.slice(prefix.length) || [];
    return key === 'kubernetes.io/role' && value ? value : [];
  });
  return [...new Set(roles)].toSorted().join(',') || noneCell;
}

const addressCell = ({ status: { addresses = [] } }: Node, kind: string) =>
  addresses.find(({ type }) => type === kind)?.address ?? noneCell;
