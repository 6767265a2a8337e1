import { cellAt, type Cell, decodeValue, encodeJsonText, scaleRow, StatusError } from '@kubernode/api';
import type { Scale } from '@kubernode/api/autoscaling/v1';
import { parseJsonExactly, shortHumanDuration } from '@kubernode/machinery';
import type { ServedResource } from '../registry.ts';
import type { ListMetadata } from '../storage/list.ts';
import type { ApiObject } from '../storage/encoding.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Throws BadRequest. */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') || 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw StatusError.badRequest(`unrecognized includeObject value: ${JSON.stringify(value)}`);
}

export interface TableOptions {
  readonly include: IncludeObject;
  readonly version: string;
  readonly nowMs: number;
}

/** meta.k8s.io Table: what kubectl prints. `metadata` is the list's, or the object's resourceVersion. */
export function tableOf(
  resource: ServedResource,
  objects: readonly ApiObject[],
  metadata: ListMetadata,
  options: TableOptions,
): unknown {
  const rows = objects.map((object) => rowOf(resource, object, options));
  return { ...tableHead(resource, metadata, options.version, objects[0]), rows };
}

/** A Table but for its rows. `first`: an object of it. */
export function tableHead(resource: ServedResource, metadata: ListMetadata, version: string, first?: ApiObject) {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: isScale(first) ? scaleColumns : columnsOf(resource),
  };
}

/** A `scale` subresource has a kind, and so columns, of its own. */
const isScale = (object: ApiObject | undefined) => object?.kind === 'Scale' && object.apiVersion === 'autoscaling/v1';

const scaleColumns = [
  { name: 'Name', type: 'string', format: '', description: 'Name of the object', priority: 0 },
  { name: 'Desired', type: 'integer', format: '', description: 'Wanted replicas', priority: 0 },
  { name: 'Available', type: 'integer', format: '', description: 'Replicas that there are', priority: 0 },
  { name: 'Age', type: 'string', format: '', description: 'Time since creation', priority: 0 },
];

/** A bookmark's row is that of an empty object of its kind. */
export function bookmarkTable(resource: ServedResource, object: unknown, revision: string, version: string): unknown {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: { resourceVersion: revision },
    columnDefinitions: null,
    rows: [{ cells: emptyCells(resource), object }],
  };
}

const emptyCellsCache = new WeakMap<ServedResource, readonly unknown[]>();
const zeroTime = '0001-01-01T00:00:00Z';

function emptyCells(resource: ServedResource): readonly unknown[] {
  let cells = emptyCellsCache.get(resource);
  if (!cells) {
    const { object } = decodeValue<ApiObject>({ metadata: { name: '' } }, resource.shape);
    const row = resource.definition.row?.(object) ?? defaultCells(resource, object);
    cells = row.map((cell, column) => cellAt(cell, 0) ?? (column === 0 || resource.custom ? '' : zeroTime));
    emptyCellsCache.set(resource, cells);
  }
  return cells;
}

const columnCache = new WeakMap<ServedResource, unknown>();

function columnsOf(resource: ServedResource): unknown {
  let columns = columnCache.get(resource);
  if (!columns) {
    const known = resource.info.columns.length > 0 ? resource.info.columns : nameAndCreated;
    columns = known.map(({ name, type, format = '', description = '', priority = 0 }) => ({
      name,
      type,
      format,
      description,
      priority,
    }));
    columnCache.set(resource, columns);
  }
  return columns;
}

const nameAndCreated = [
  { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
  { name: 'Created At', type: 'date', format: '', description: '', priority: 0 },
];

/** `isMarked`: its name says that it is the default. */
export function rowOf(resource: ServedResource, object: ApiObject, options: TableOptions, isMarked = false): unknown {
  const { include, version, nowMs } = options;
  const row = rowCells(resource, object, isMarked);
  const cells = { ...row, cells: row.cells.map((cell) => cellAt(cell, nowMs)) };
  if (include === 'None') return { ...cells, object: null };
  if (include === 'Metadata') return { ...cells, object: partialOf(resource, object, version) };
  // As its kind prints it: times that are not set are null.
  const printed: unknown = isScale(object) ? object : parseJsonExactly(encodeJsonText(object, resource.shape));
  return { ...cells, object: printed };
}

/** A row but for its object. */
interface RowCells {
  readonly cells: readonly Cell[];
  readonly conditions?: readonly unknown[];
}

export function rowCells(resource: ServedResource, object: ApiObject, isMarked: boolean): RowCells {
  const found = isScale(object)
    ? scaleRow(object as unknown as Scale)
    : (resource.definition.row?.(object) ?? defaultCells(resource, object));
  const cells = isMarked ? [`${String(found[0])} (default)`, ...found.slice(1)] : found;
  const conditions = resource.definition.rowConditions?.(object) ?? [];
  return conditions.length > 0 ? { cells, conditions } : { cells };
}

function defaultCells({ info }: ServedResource, { metadata }: ApiObject): Cell[] {
  const columns = info.columns.length > 0 ? info.columns : nameAndCreated;
  return columns.map(({ name }) => {
    if (name === 'Name') return metadata.name;
    if (name === 'Created At') return metadata.creationTimestamp ?? null;
    if (name === 'Age') return ageOf(metadata.creationTimestamp);
    return '';
  });
}

function ageOf(creationTimestamp: string | undefined): Cell {
  if (!creationTimestamp) return '<unknown>';
  const ms = Date.parse(creationTimestamp);
  return (nowMs) => shortHumanDuration(nowMs - ms);
}

export function partialOf(resource: ServedResource, { metadata }: ApiObject, version: string): unknown {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: inMemory(resource, metadata),
  };
}

/** Annotations that only carry a field over into a version that lacks it: metadata alone does not have them. */
const carriers: Readonly<Record<string, RegExp>> = {
  'apps/daemonsets': /^deprecated\.daemonset\.template\.generation$/,
  'autoscaling/horizontalpodautoscalers':
    /^autoscaling\.alpha\.kubernetes\.io\/(?:behavior|conditions|current-metrics|metrics)$/,
};

const carrierOf = ({ group, plural }: ServedResource): RegExp | undefined => carriers[`${group}/${plural}`];

/** Whether metadata alone may have less than the object's metadata. */
export const hasCarriers = (resource: ServedResource): boolean => carrierOf(resource) !== undefined;

function inMemory(resource: ServedResource, metadata: ApiObject['metadata']): ApiObject['metadata'] {
  const carrier = carrierOf(resource);
  if (!carrier || !metadata.annotations) return metadata;
  const entries = Object.entries(metadata.annotations);
  const kept = entries.filter(([name]) => !carrier.test(name));
  if (kept.length === entries.length) return metadata;
  const { annotations: _annotations, ...rest } = metadata;
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}
