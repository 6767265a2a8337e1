import { dns1123Label, dns1123Subdomain, labelValue, qualifiedName } from '@kubernode/machinery';
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  PodSchedulingGate,
  PreferredSchedulingTerm,
  Toleration,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from '../../generated/types/core/v1.ts';
import type { LabelSelector } from '../../generated/types/meta/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, notSupported, required as requiredCause } from '../cause.ts';
import { firstIndexes } from '../repeated.ts';
import { all, each, evenIfAbsent, fields, foundIn, orZero, type Rule } from '../rule.ts';
import { labelSelector } from '../selector.ts';
import { oneOf, required } from '../values.ts';

const keyMessages = (key: string, path: string) => qualifiedName(key).map((detail) => invalid(path, key, detail));
/** A label's key, by which nodes are grouped. */
const labelKey: Rule<string> = evenIfAbsent((key: string | undefined, path) => keyMessages(key ?? '', path));

const expression: Rule<NodeSelectorRequirement> = ({ key, operator, values = [] }, path) => {
  const found: FieldCause[] = [];
  const at = `${path}.values`;
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    found.push(requiredCause(at, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    found.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if ((operator === 'Gt' || operator === 'Lt') && values.length !== 1) {
    found.push(requiredCause(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else if (!['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'].includes(operator)) {
    found.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  }
  return [...found, ...keyMessages(key, `${path}.key`)];
};

const field: Rule<NodeSelectorRequirement> = ({ key, operator, values = [] }, path) => {
  const found: FieldCause[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    found.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    found.push(
      requiredCause(
        `${path}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ),
    );
  }
  if (key !== 'metadata.name') return [...found, invalid(`${path}.key`, key, 'not a valid field selector key')];
  values.forEach((value, index) => {
    found.push(...dns1123Subdomain(value).map((detail) => invalid(`${path}.values[${index}]`, value, detail)));
  });
  return found;
};

/** Labels and fields of nodes; an empty term selects none. */
const nodeSelectorTerm = fields<NodeSelectorTerm>({
  matchExpressions: each(expression),
  matchFields: each(field),
});

/** As `nodeSelectorTerm`, where values must be label values too: nodes have to match. */
const requiredTerm = all<NodeSelectorTerm>(nodeSelectorTerm, ({ matchExpressions = [] }, path) =>
  matchExpressions.flatMap(({ values = [] }, index) =>
    values.flatMap((value, valueIndex) =>
      labelValue(value).map((detail) =>
        invalid(`${path}.matchExpressions[${index}].values[${valueIndex}]`, value, detail),
      ),
    ),
  ),
);

export const nodeSelector = fields<NodeSelector>({
  nodeSelectorTerms: [required as Rule<readonly NodeSelectorTerm[]>, each(requiredTerm)],
});

const weight = orZero((value, path) =>
  value < 1 || value > 100 ? [invalid(path, value, 'must be in the range 1-100')] : [],
);

const nodeAffinity = fields<NodeAffinity>({
  requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
  preferredDuringSchedulingIgnoredDuringExecution: each(
    fields<PreferredSchedulingTerm>({ weight, preference: nodeSelectorTerm }),
  ),
});

/** Keys whose values come from the pod itself; they need a selector to be added to, and each may be named once. */
const labelKeys: Rule<{
  labelSelector?: LabelSelector | undefined;
  matchLabelKeys?: string[] | undefined;
  mismatchLabelKeys?: string[] | undefined;
}> = ({ labelSelector: selector, matchLabelKeys = [], mismatchLabelKeys = [] }, path) => {
  const found = (
    [
      ['matchLabelKeys', matchLabelKeys],
      ['mismatchLabelKeys', mismatchLabelKeys],
    ] as const
  ).flatMap(([name, keys]) => {
    if (keys.length === 0) return [];
    if (!selector) return [forbidden(`${path}.${name}`, 'must not be specified when labelSelector is not set')];
    return keys.flatMap((key, index) => keyMessages(key, `${path}.${name}[${index}]`));
  });
  const mismatches = new Set(mismatchLabelKeys);
  const both = matchLabelKeys.filter((key) => mismatches.has(key));
  const first = firstIndexes(matchLabelKeys);
  return [
    ...found,
    ...both.map((key) =>
      invalid(`${path}.matchLabelKeys[${first.get(key)}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
    ),
  ];
};

const podTerm = all<PodAffinityTerm>(
  fields<PodAffinityTerm>({
    labelSelector,
    namespaceSelector: labelSelector,
    topologyKey: all<string>(required as Rule<string>, labelKey),
  }),
  ({ namespaces = [] }, path) =>
    namespaces.flatMap((name) => dns1123Label(name).map((detail) => invalid(`${path}.namespace`, name, detail))),
  labelKeys,
);

const podAffinity = fields<PodAffinity>({
  requiredDuringSchedulingIgnoredDuringExecution: each(podTerm),
  preferredDuringSchedulingIgnoredDuringExecution: each(
    fields<WeightedPodAffinityTerm>({
      weight,
      podAffinityTerm: evenIfAbsent((term, path) => podTerm(term ?? { topologyKey: '' }, path)),
    }),
  ),
});

export const affinity = fields<Affinity>({ nodeAffinity, podAffinity, podAntiAffinity: podAffinity });

const effects = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

/** Which taints a pod lives with. */
export const toleration: Rule<Toleration> = (
  { key = '', operator = '', value = '', effect = '', tolerationSeconds },
  path,
) => {
  const found: FieldCause[] = [];
  if (key) found.push(...keyMessages(key, `${path}.key`));
  if (!key && operator !== 'Exists') {
    found.push(
      invalid(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    found.push(invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === 'Equal' || operator === '') {
    found.push(...labelValue(value).map((detail) => invalid(`${path}.operator`, value, detail)));
  } else if (operator === 'Exists') {
    if (value) found.push(invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  } else found.push(notSupported(`${path}.operator`, operator, ['Equal', 'Exists']));
  if (effect && !effects.includes(effect)) found.push(notSupported(`${path}.effect`, effect, effects));
  return found;
};

export const schedulingGates: Rule<readonly PodSchedulingGate[]> = (gates, path) => {
  const seen = new Set<string>();
  return foundIn(gates, ({ name }, index) => {
    const at = `${path}[${index}]`;
    const found: FieldCause[] = seen.has(name) ? [duplicate(at, name)] : [];
    seen.add(name);
    return [...found, ...keyMessages(name, at)];
  });
};

const actions = ['DoNotSchedule', 'ScheduleAnyway'];

const spread = all<TopologySpreadConstraint>(
  fields<TopologySpreadConstraint>({
    maxSkew: orZero((value, path) => (value > 0 ? [] : [invalid(path, value, 'must be greater than zero')])),
    topologyKey: required,
    whenUnsatisfiable: evenIfAbsent((value: string | undefined, path) =>
      actions.includes(value ?? '') ? [] : [notSupported(path, value ?? '', actions)],
    ),
    nodeAffinityPolicy: oneOf('Honor', 'Ignore'),
    nodeTaintsPolicy: oneOf('Honor', 'Ignore'),
    labelSelector,
  }),
  ({ minDomains, whenUnsatisfiable }, path) => {
    const at = `${path}.minDomains`;
    if (minDomains === undefined) return [];
    if (minDomains <= 0) return [invalid(at, minDomains, 'must be greater than zero')];
    if (whenUnsatisfiable === 'DoNotSchedule') return [];
    return [
      invalid(at, minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`),
    ];
  },
  labelKeys,
);

/** Constraints are one a topology and action; the second of a pair is reported at the first, as upstream does. */
export const topologySpreadConstraints: Rule<readonly TopologySpreadConstraint[]> = (list, path) => {
  const pairs = list.map(({ topologyKey, whenUnsatisfiable }) => `{${topologyKey}, ${whenUnsatisfiable}}`);
  const last = new Map(pairs.map((pair, index) => [pair, index]));
  // One that comes more than twice is told once for each: twice the same counts once.
  const repeated = pairs.flatMap((pair, index) =>
    index < last.get(pair)! ? [duplicate(`${path}[${index}].{topologyKey, whenUnsatisfiable}`, pair)] : [],
  );
  return [...each(spread)(list, path), ...repeated];
};
