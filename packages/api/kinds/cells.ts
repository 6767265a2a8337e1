import type { AgingCell, Cell } from '../cell.ts';
import { formatLabelSelector, humanDuration, parseTime } from '@kubernode/machinery';
import type { PodTemplateSpec } from '../generated/types/core/v1.ts';
import type { LabelSelector, ObjectMeta } from '../generated/types/meta/v1.ts';

/** Cells that many tables share, as upstream's printers write them. */
export const noneCell = '<none>';
export const unsetCell = '<unset>';
export const unknownCell = '<unknown>';

/** How long ago, "5d3h"; `<unknown>` where the time is. */
export function ageCell(time: string | undefined): typeof unknownCell | AgingCell {
  const ms = parseTime(time);
  return ms === undefined ? unknownCell : (nowMs) => humanDuration(nowMs - ms);
}

export const age = ({ metadata }: { readonly metadata: ObjectMeta }): Cell => ageCell(metadata.creationTimestamp);

/** Names and images of a template's containers, as two cells. */
export function containerCells(template: PodTemplateSpec | undefined): readonly [names: string, images: string] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image }) => image ?? '').join(',')];
}

/** A selector as `-l` takes it; `<none>` for one that selects everything. */
export function selectorCell(selector: LabelSelector | undefined): string {
  if (!selector) return noneCell;
  return formatLabelSelector(selector as Parameters<typeof formatLabelSelector>[0]) || noneCell;
}

/** A plain map of labels: `a=b,c=d`, in order of the keys. */
export function labelsCell(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length > 0 ? pairs.toSorted().join(',') : noneCell;
}
