import type {
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../generated/types/autoscaling/v2.ts';
import { noneCell, unknownCell } from '../cells.ts';

const shownMax = 2;

/** The first two metrics as current/target, and how many more there are. */
export function metricsCell(metrics: readonly MetricSpec[], current: readonly MetricStatus[]): string {
  if (metrics.length === 0) return noneCell;
  const cells = metrics.map((metric, index) => metricCell(metric, current[index]));
  const shown = cells.slice(0, shownMax).join(', ');
  return cells.length > shownMax ? `${shown} + ${cells.length - shownMax} more...` : shown;
}

function metricCell(metric: MetricSpec, status: MetricStatus | undefined): string {
  const { external, pods, object, resource, containerResource } = metric;
  if (external) return valueCell(external.target, status?.external?.current);
  if (pods) return `${status?.pods?.current.averageValue ?? unknownCell}/${pods.target.averageValue}`;
  if (object) return valueCell(object.target, status?.object?.current);
  const source = resource ?? containerResource;
  if (!source) return '<unknown type>';
  const now = status?.resource?.current ?? status?.containerResource?.current;
  return `${source.name}: ${shareCell(source.target, now)}`;
}

function valueCell(target: MetricTarget, now: MetricValueStatus | undefined): string {
  if (target.averageValue === undefined) return `${now?.value ?? unknownCell}/${target.value}`;
  return `${now?.averageValue ?? unknownCell}/${target.averageValue} (avg)`;
}

function shareCell(target: MetricTarget, now: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) return `${now?.averageValue ?? unknownCell}/${target.averageValue}`;
  const current = now?.averageUtilization === undefined ? unknownCell : `${now.averageUtilization}%`;
  return `${current}/${target.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`}`;
}
