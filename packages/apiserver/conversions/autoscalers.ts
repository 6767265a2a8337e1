import type { HorizontalPodAutoscaler as V1 } from '@kubernode/api/autoscaling/v1';
import type { HorizontalPodAutoscaler as V2, MetricSpec, MetricStatus } from '@kubernode/api/autoscaling/v2';
import type { ApiObject } from '../storage/encoding.ts';

/** What v1 has no fields for travels in these annotations (autoscaling/annotations.go). */
const annotations = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const;

/** autoscaling/v1 → v2. */
export function autoscalerToStored(object: ApiObject): ApiObject {
  const { spec, status, metadata } = object as unknown as V1;
  const { targetCPUUtilizationPercentage: target, ...scaling } = spec;
  const { currentCPUUtilizationPercentage: current, ...counts } = status;
  const read = (name: keyof typeof annotations) => parsed(metadata.annotations?.[annotations[name]]);
  const cpu: MetricSpec[] = target
    ? [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } } }]
    : [];
  const cpuNow: MetricStatus[] = current
    ? [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current, averageValue: '0' } } }]
    : [];
  const metrics = [...cpu, ...((read('metrics') as MetricSpec[] | undefined) ?? [])];
  const behavior = read('behavior');
  const kept = Object.entries(metadata.annotations ?? {}).filter(([key]) => !isOurs(key));
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: { ...metadata, annotations: kept.length > 0 ? Object.fromEntries(kept) : undefined },
    spec: { ...scaling, ...(metrics.length > 0 ? { metrics } : {}), ...(behavior ? { behavior } : {}) },
    status: {
      ...counts,
      currentMetrics: [...cpuNow, ...((read('currentMetrics') as MetricStatus[] | undefined) ?? [])],
      conditions: read('conditions') ?? [],
    },
  };
}

/** v2 → autoscaling/v1. */
export function autoscalerFromStored(object: ApiObject, apiVersion: string): ApiObject {
  if (object.apiVersion === apiVersion) return object;
  const { spec, status, metadata } = object as unknown as V2;
  const { metrics = [], behavior, ...scaling } = spec;
  const { currentMetrics, conditions, ...counts } = status;
  const cpu = metrics.find(({ type, resource }) => type === 'Resource' && resource?.name === 'cpu');
  const target = cpu?.resource?.target.averageUtilization;
  const cpuNow = currentMetrics?.find(({ resource }) => resource?.name === 'cpu')?.resource?.current;
  const others = target ? metrics.filter((metric) => metric !== cpu) : metrics;
  const added: Record<string, string> = {};
  if (others.length > 0) added[annotations.metrics] = JSON.stringify(others);
  if (behavior) added[annotations.behavior] = JSON.stringify(behavior);
  if (conditions?.length) added[annotations.conditions] = JSON.stringify(conditions);
  const merged = { ...metadata.annotations, ...added };
  return {
    ...object,
    apiVersion,
    metadata: Object.keys(merged).length > 0 ? { ...metadata, annotations: merged } : metadata,
    spec: { ...scaling, ...(target ? { targetCPUUtilizationPercentage: target } : {}) },
    status: {
      ...counts,
      ...(cpuNow?.averageUtilization ? { currentCPUUtilizationPercentage: cpuNow.averageUtilization } : {}),
    },
  };
}

const isOurs = (key: string) =>
  Object.values(annotations).includes(key as (typeof annotations)[keyof typeof annotations]);

function parsed(text: string | undefined): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
