import { compareQuantities, dns1123Label } from '@kubernode/machinery';
import type {
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
  MetricSpec,
  MetricTarget,
} from '../generated/types/autoscaling/v2.ts';
import type { FieldCause } from '../status-error.ts';
import { forbidden, invalid, notSupported, required as requiredCause } from './cause.ts';
import { pathSegment } from './names.ts';
import { containerResourceName } from './resources/resources.ts';
import { type Rule, when } from './rule.ts';
import { isEmpty } from './values.ts';

const windowSecondsMax = 3600;
const periodSecondsMax = 1800;
/** In the order in which upstream looks at them. */
const sources = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
const typeOf = {
  object: 'Object',
  pods: 'Pods',
  resource: 'Resource',
  containerResource: 'ContainerResource',
  external: 'External',
};
const targetTypes = ['AverageValue', 'Utilization', 'Value'];

interface Reference {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion?: string | undefined;
}

/** `group/version` or `version`, whatever they are. */
export const isVersion = (apiVersion: string) => apiVersion === '/' || apiVersion.split('/').length <= 2;

/** What is scaled or measured: a kind and a name, each one segment of a path. `needs`: how much its apiVersion says. */
export const crossVersionReference =
  (needs: 'any' | 'version' | 'group'): Rule<Reference> =>
  ({ kind, name, apiVersion = '' }, path) => {
    const found: FieldCause[] = Object.entries({ kind, name }).flatMap(([field, value]) =>
      value
        ? pathSegment(value, false).map((detail) => invalid(`${path}.${field}`, value, detail))
        : [requiredCause(`${path}.${field}`)],
    );
    if (needs === 'any') return found;
    const at = `${path}.apiVersion`;
    if (!isVersion(apiVersion)) found.push(invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
    else if (needs === 'group' && !/^[^/]+\//.test(apiVersion))
      found.push(invalid(at, apiVersion, 'apiVersion must specify API group'));
    return found;
  };

/** How many there may be. */
export const bounds: Rule<{ readonly minReplicas?: number | undefined; readonly maxReplicas: number }> = (
  spec,
  path,
) => {
  const { minReplicas, maxReplicas } = spec;
  const found: FieldCause[] = [];
  if (minReplicas !== undefined && minReplicas < 0) {
    found.push(invalid(`${path}.minReplicas`, minReplicas, 'must be greater than or equal to 0'));
  }
  const at = `${path}.maxReplicas`;
  if (maxReplicas === 0) found.push(requiredCause(at, 'must be set and greater than 0'));
  else if (maxReplicas < 0) found.push(invalid(at, maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    found.push(invalid(at, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  return found;
};

function targetCauses(target: MetricTarget, path: string): FieldCause[] {
  const { type, value, averageValue, averageUtilization } = target;
  const found: FieldCause[] = [];
  if (!type) found.push(requiredCause(`${path}.type`, 'must specify a metric target type'));
  if (!targetTypes.includes(type)) {
    found.push(invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const [name, quantity] of Object.entries({ value, averageValue })) {
    if (quantity !== undefined && compareQuantities(quantity, '0') <= 0) {
      found.push(invalid(`${path}.${name}`, String(quantity), 'must be positive'));
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    found.push(invalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0'));
  }
  return found;
}

function resourceTarget({ averageUtilization, averageValue }: MetricTarget, path: string): FieldCause[] {
  if (averageUtilization === undefined && averageValue === undefined) {
    return [requiredCause(`${path}.averageUtilization`, 'must set either a target raw value or a target utilization')];
  }
  if (averageUtilization === undefined || averageValue === undefined) return [];
  return [forbidden(`${path}.averageValue`, 'may not set both a target raw value and a target utilization')];
}

const named = (metric: { readonly name: string }, path: string): FieldCause[] =>
  metric.name
    ? pathSegment(metric.name, false).map((detail) => invalid(`${path}.metric.name`, metric.name, detail))
    : [requiredCause(`${path}.metric.name`, 'must specify a metric name')];

function valueTarget({ value, averageValue }: MetricTarget, path: string, detail: string): FieldCause[] {
  return value === undefined && averageValue === undefined ? [requiredCause(`${path}.averageValue`, detail)] : [];
}

type Source = (typeof sources)[number];

/** All that is wrong with one source of a metric. */
function sourceCauses(metric: MetricSpec, name: Source, path: string, needs: 'any' | 'version'): FieldCause[] {
  const { object, pods, external } = metric;
  const at = `${path}.${name}`;
  if (name === 'object' && object) {
    return [
      ...crossVersionReference(needs)(object.describedObject, `${at}.describedObject`),
      ...named(object.metric, at),
      ...targetCauses(object.target, `${at}.target`),
      ...valueTarget(object.target, `${at}.target`, 'must set either a target value or averageValue'),
    ];
  }
  if (name === 'pods' && pods) {
    const found = [...named(pods.metric, at), ...targetCauses(pods.target, `${at}.target`)];
    if (pods.target.averageValue === undefined)
      found.push(requiredCause(`${at}.target.averageValue`, 'must specify a positive target averageValue'));
    return found;
  }
  if (name === 'external' && external) {
    const detail = 'must set either a target value for metric or a per-pod target';
    const { target } = external;
    const found = [
      ...named(external.metric, at),
      ...targetCauses(target, `${at}.target`),
      ...valueTarget(target, `${at}.target`, detail),
    ];
    if (target.value !== undefined && target.averageValue !== undefined)
      found.push(forbidden(`${at}.target.value`, 'may not set both a target value for metric and a per-pod target'));
    return found;
  }
  return resourceCauses(metric, name, at);
}

function resourceCauses({ resource, containerResource }: MetricSpec, name: Source, at: string): FieldCause[] {
  const source = name === 'resource' ? resource : containerResource;
  if (!source) return [];
  const found: FieldCause[] = source.name ? [] : [requiredCause(`${at}.name`, 'must specify a resource name')];
  if ('container' in source) {
    if (source.name) found.push(...containerResourceName(source.name, `${at}.name`));
    const container = source.container as string;
    if (!container) found.push(requiredCause(`${at}.container`, 'must specify a container'));
    else found.push(...dns1123Label(container).map((detail) => invalid(`${at}.container`, container, detail)));
  }
  return [...found, ...targetCauses(source.target, `${at}.target`), ...resourceTarget(source.target, `${at}.target`)];
}

/** A metric has one source, which its type names; of several the first is checked. */
export const metric =
  (needs: 'any' | 'version'): Rule<MetricSpec> =>
  (value, path) => {
    const { type } = value;
    const at = `${path}.type`;
    const unknown = () => notSupported(at, type ?? '', Object.values(typeOf));
    const set = sources.filter((name) => value[name]);
    const expected = sources.find((name) => typeOf[name] === type);
    const found: FieldCause[] = type ? [] : [requiredCause(at, 'must specify a metric source type')];
    if (!expected) found.push(unknown());
    if (set[0]) found.push(...sourceCauses(value, set[0], path, needs));
    if (!expected) found.push(unknown());
    else if (!set.includes(expected))
      found.push(requiredCause(`${path}.${expected}`, 'must populate information for the given metric source'));
    if (set.length === 1) return found;
    const others = set.filter((name) => name !== expected);
    return [
      ...found,
      ...others.map((name) => forbidden(`${path}.${name}`, 'must populate the given metric source only')),
    ];
  };

/** How fast it may go in one direction. */
export const scalingRules: Rule<HPAScalingRules> = (rules, path) => {
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [], tolerance } = rules;
  const found: FieldCause[] = [];
  if (seconds !== undefined && (seconds < 0 || seconds > windowSecondsMax)) {
    const detail =
      seconds < 0 ? 'must be greater than or equal to zero' : `must be less than or equal to ${windowSecondsMax}`;
    found.push(invalid(`${path}.stabilizationWindowSeconds`, seconds, detail));
  }
  if (selectPolicy !== undefined && !['Disabled', 'Max', 'Min'].includes(selectPolicy)) {
    found.push(notSupported(`${path}.selectPolicy`, selectPolicy, ['Disabled', 'Max', 'Min']));
  }
  if (isEmpty(policies)) found.push(requiredCause(`${path}.policies`, 'must specify at least one Policy'));
  policies.forEach(({ type, value, periodSeconds }, index) => {
    const at = `${path}.policies[${index}]`;
    if (type !== 'Pods' && type !== 'Percent') found.push(notSupported(`${at}.type`, type, ['Percent', 'Pods']));
    if (value <= 0) found.push(invalid(`${at}.value`, value, 'must be greater than zero'));
    if (periodSeconds <= 0) found.push(invalid(`${at}.periodSeconds`, periodSeconds, 'must be greater than zero'));
    else if (periodSeconds > periodSecondsMax)
      found.push(invalid(`${at}.periodSeconds`, periodSeconds, `must be less than or equal to ${periodSecondsMax}`));
  });
  if (tolerance !== undefined && compareQuantities(tolerance, '0') < 0) {
    found.push(invalid(`${path}.tolerance`, String(tolerance), 'must be greater than or equal to 0'));
  }
  return found;
};

/** Where there may be none at all, something outside of the pods has to be measured. */
export const outsideMetricForNone: Rule<HorizontalPodAutoscalerSpec> = when<HorizontalPodAutoscalerSpec>(
  ({ minReplicas }) => minReplicas === 0,
  ({ metrics = [] }, path) =>
    metrics.some(({ type }) => type === 'Object' || type === 'External')
      ? []
      : [
          forbidden(
            `${path}.metrics`,
            'must specify at least one Object or External metric to support scaling to zero replicas',
          ),
        ],
);
