import { compareQuantities } from '@kubernode/machinery';
import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
} from '../../generated/types/autoscaling/v2.ts';
import { decodeValue, encodeJsonText } from '../../codec/json.ts';
import { shapeOf } from '../../shapes.ts';

/** Metrics in the form that annotations of autoscaling/v1 keep them in: flat, by the names of the first version. */
type Flat = Record<string, never>;

const target = (type: string, values: object) => ({ type, ...present(values) });

/** Without what is absent. */
const present = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null)) as T;

const identifier = (name: string | undefined, selector: unknown) => present({ name: name ?? '', selector });

/** One metric of the first version as one of the second. */
export function metricFromFlat(flat: Flat): MetricSpec {
  const { type, object, pods, resource, containerResource, external } = flat as Record<string, Flat>;
  const ofResource = ({ name, container, targetAverageUtilization: share, targetAverageValue: amount }: Flat) =>
    present({
      name,
      target: target(share === undefined ? 'AverageValue' : 'Utilization', {
        averageUtilization: share,
        averageValue: amount,
      }),
      container,
    });
  return present({
    type: type as never as string,
    resource: resource && ofResource(resource),
    containerResource: containerResource && ofResource(containerResource),
    pods: pods && {
      metric: identifier(pods['metricName'], pods['selector']),
      target: target('AverageValue', { averageValue: pods['targetAverageValue'] ?? '0' }),
    },
    object: object && {
      describedObject: object['target'] ?? { kind: '', name: '' },
      target: objectTarget(object),
      metric: identifier(object['metricName'], object['selector']),
    },
    external: external && {
      metric: identifier(external['metricName'], external['metricSelector']),
      target: target(external['targetValue'] === undefined ? 'AverageValue' : 'Value', {
        value: external['targetValue'],
        averageValue: external['targetAverageValue'],
      }),
    },
  }) as MetricSpec;
}

function objectTarget({ targetValue = '0' as never, averageValue }: Flat) {
  if (averageValue === undefined) return target('Value', { value: targetValue });
  const value = compareQuantities(targetValue, '0') === 0 ? undefined : targetValue;
  return target('AverageValue', { value, averageValue });
}

/** One metric of the second version as one of the first. */
export function metricToFlat({ type, object, pods, resource, containerResource, external }: MetricSpec): object {
  const ofResource = (source: NonNullable<MetricSpec['containerResource']> | NonNullable<MetricSpec['resource']>) => ({
    name: source.name,
    targetAverageUtilization: source.target.averageUtilization,
    targetAverageValue: source.target.averageValue,
    ...('container' in source && { container: source.container }),
  });
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      targetValue: object.target.value ?? '0',
      selector: object.metric.selector,
      averageValue: object.target.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? '0',
      selector: pods.metric.selector,
    },
    resource: resource && ofResource(resource),
    containerResource: containerResource && ofResource(containerResource),
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    },
  };
}

/** What was measured, likewise. */
export function measureFromFlat(flat: Flat): MetricStatus {
  const { type, object, pods, resource, containerResource, external } = flat as Record<string, Flat>;
  const ofResource = ({ name, container, currentAverageUtilization: share, currentAverageValue: amount }: Flat) =>
    present({ name, current: present({ averageUtilization: share, averageValue: amount ?? '0' }), container });
  return present({
    type: type as never as string,
    resource: resource && ofResource(resource),
    containerResource: containerResource && ofResource(containerResource),
    pods: pods && {
      metric: identifier(pods['metricName'], pods['selector']),
      current: { averageValue: pods['currentAverageValue'] ?? '0' },
    },
    object: object && {
      describedObject: object['target'] ?? { kind: '', name: '' },
      current: present({ value: object['currentValue'] ?? '0', averageValue: object['averageValue'] }),
      metric: identifier(object['metricName'], object['selector']),
    },
    external: external && {
      metric: identifier(external['metricName'], external['metricSelector']),
      current: present({ value: external['currentValue'] ?? '0', averageValue: external['currentAverageValue'] }),
    },
  }) as MetricStatus;
}

export function measureToFlat({ type, object, pods, resource, containerResource, external }: MetricStatus): object {
  const ofResource = (
    source: NonNullable<MetricStatus['containerResource']> | NonNullable<MetricStatus['resource']>,
  ) => ({
    name: source.name,
    currentAverageUtilization: source.current.averageUtilization,
    currentAverageValue: source.current.averageValue ?? '0',
    ...('container' in source && { container: source.container }),
  });
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      currentValue: object.current.value ?? '0',
      selector: object.metric.selector,
      averageValue: object.current.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? '0',
      selector: pods.metric.selector,
    },
    resource: resource && ofResource(resource),
    containerResource: containerResource && ofResource(containerResource),
    external: external && {
      metricName: external.metric.name,
      currentValue: external.current.value ?? '0',
      metricSelector: external.metric.selector,
      currentAverageValue: external.current.averageValue,
    },
  };
}

/** A list as an annotation's text, its items as Go prints the named type. */
export function textOfList(items: readonly object[], typeName: string): string {
  const shape = shapeOf(typeName);
  return `[${items.map((item) => encodeJsonText(decodeValue(present(item), shape).object, shape)).join(',')}]`;
}

/** The list of an annotation; undefined for what is none of that type. */
export function listOfText<T>(text: string | undefined, typeName: string): readonly T[] | undefined {
  const value = parsed(text);
  if (!Array.isArray(value)) return undefined;
  try {
    return value.map((item) => decodeValue<T>(item, shapeOf(typeName)).object);
  } catch {
    return undefined;
  }
}

function parsed(text: string | undefined): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Behavior is kept under the names of Go's fields, all of them. */
export function textOfBehavior({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string {
  const rules = (one: HPAScalingRules | undefined) =>
    one
      ? {
          StabilizationWindowSeconds: one.stabilizationWindowSeconds ?? null,
          SelectPolicy: one.selectPolicy ?? null,
          Policies:
            one.policies?.map(({ type, value, periodSeconds }) => ({
              Type: type,
              Value: value,
              PeriodSeconds: periodSeconds,
            })) ?? null,
          Tolerance: one.tolerance ?? null,
        }
      : null;
  return JSON.stringify({ ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) });
}

/** Read without regard to the names' case, as Go does. */
export function behaviorOfText(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  const value = lowered(parsed(text));
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return undefined;
  try {
    const behavior = decodeValue<HorizontalPodAutoscalerBehavior>(
      value,
      shapeOf('autoscaling/v2.HorizontalPodAutoscalerBehavior'),
    ).object;
    return behavior.scaleUp || behavior.scaleDown ? behavior : undefined;
  } catch {
    return undefined;
  }
}

function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [`${key.charAt(0).toLowerCase()}${key.slice(1)}`, lowered(item)]),
  );
}
