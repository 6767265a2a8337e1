import { compareQuantities } from '@kubernode/machinery';
import type {
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
  MetricSpec,
  MetricTarget,
} from '../generated/types/autoscaling/v2.ts';
import type { FieldCause } from '../status-error.ts';
import { forbidden, invalid, notSupported, required as requiredCause } from './cause.ts';
import { pathSegment } from './names.ts';
import { type Rule, when } from './rule.ts';
import { isEmpty } from './values.ts';

const windowSecondsMax = 3600;
const periodSecondsMax = 1800;
const sources = ['object', 'pods', 'resource', 'containerResource', 'external'] as const;
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

/** What is scaled: a kind and a name, each one segment of a path. */
export const scaleTarget: Rule<Reference> = ({ kind, name, apiVersion = '' }, path) => {
  const found: FieldCause[] = (['kind', 'name'] as const).flatMap((field) => {
    const value = field === 'kind' ? kind : name;
    if (!value) return [requiredCause(`${path}.${field}`)];
    return pathSegment(value, false).map((detail) => invalid(`${path}.${field}`, value, detail));
  });
  const isVersion = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?v\d+((alpha|beta)\d+)?$/.test(apiVersion);
  if (!isVersion) found.push(invalid(`${path}.apiVersion`, apiVersion, 'apiVersion must be a group and version'));
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
    found.push(invalid(`${path}.minReplicas`, minReplicas, 'must be greater than or equal to 1'));
  }
  const at = `${path}.maxReplicas`;
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

function valueTarget({ value, averageValue }: MetricTarget, path: string): FieldCause[] {
  return value === undefined && averageValue === undefined
    ? [requiredCause(`${path}.averageValue`, 'must set either a target value for metric or a per-pod target')]
    : [];
}

function sourceCauses(metric: MetricSpec, path: string): FieldCause[] {
  const { object, pods, resource, containerResource, external } = metric;
  const found: FieldCause[] = [];
  if (object) {
    const at = `${path}.object`;
    const { describedObject: target } = object;
    if (!target.kind) found.push(requiredCause(`${at}.describedObject.kind`));
    if (!target.name) found.push(requiredCause(`${at}.describedObject.name`));
    found.push(
      ...named(object.metric, at),
      ...targetCauses(object.target, `${at}.target`),
      ...valueTarget(object.target, `${at}.target`),
    );
  }
  if (pods) {
    const at = `${path}.pods`;
    found.push(...named(pods.metric, at), ...targetCauses(pods.target, `${at}.target`));
    if (pods.target.averageValue === undefined)
      found.push(requiredCause(`${at}.target.averageValue`, 'must specify a positive target averageValue'));
  }
  if (external) {
    const at = `${path}.external`;
    found.push(
      ...named(external.metric, at),
      ...targetCauses(external.target, `${at}.target`),
      ...valueTarget(external.target, `${at}.target`),
    );
  }
  for (const [name, source] of Object.entries({ resource, containerResource })) {
    if (!source) continue;
    const at = `${path}.${name}`;
    if (!source.name) found.push(requiredCause(`${at}.name`, 'must specify a resource name'));
    if ('container' in source && !source.container)
      found.push(requiredCause(`${at}.container`, 'must specify a container name'));
    found.push(...targetCauses(source.target, `${at}.target`), ...resourceTarget(source.target, `${at}.target`));
  }
  return found;
}

/** A metric has one source, which its type names. */
export const metric: Rule<MetricSpec> = (value, path) => {
  const { type } = value;
  if (!type) return [requiredCause(`${path}.type`, 'must specify a metric source type')];
  const set = sources.filter((name) => value[name]);
  const expected = sources.find((name) => typeOf[name] === type);
  if (!expected) return [notSupported(`${path}.type`, type, Object.values(typeOf))];
  const found =
    set.length > 1
      ? set
          .filter((name) => name !== expected)
          .map((name) => forbidden(`${path}.${name}`, 'must populate the given metric source only'))
      : [];
  if (!set.includes(expected))
    found.push(requiredCause(`${path}.${expected}`, `must populate information for the given metric source`));
  return [
    ...found,
    ...sourceCauses(
      {
        ...value,
        ...Object.fromEntries(set.filter((name) => name !== expected).map((name) => [name, undefined])),
      } as MetricSpec,
      path,
    ),
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
