import type { ColumnInfo, KubernetesObject } from '@kubernode/api';
import type { CustomResourceColumnDefinition } from '@kubernode/api/apiextensions/v1';
import { shortHumanDuration } from '@kubernode/machinery';
import { parseJsonPath, type JsonPath } from './json-path.ts';

/** The columns of a custom resource's Table, and how its rows are filled. */
export interface CustomColumns {
  readonly columns: readonly ColumnInfo[];
  readonly row: (object: KubernetesObject, nowMs: number) => readonly unknown[];
}

const name: ColumnInfo = { name: 'Name', type: 'string', format: 'name', description: 'Name of the object' };
const age: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: 'Time since creation',
  jsonPath: '.metadata.creationTimestamp',
};

/** Columns whose path cannot be read show nothing. */
export function customColumns(definitions: readonly CustomResourceColumnDefinition[] | undefined): CustomColumns {
  const own = definitions && definitions.length > 0 ? definitions : [age];
  const cells = own.map(({ jsonPath, type }) => ({ find: pathOrNone(jsonPath), type }));
  return {
    columns: [name, ...own.map(columnOf)],
    row: (object, nowMs) => [
      object.metadata.name,
      ...cells.map(({ find, type }) => {
        const [value] = find(object);
        return type === 'string' ? textOf(value) : cellOf(type, value, nowMs);
      }),
    ],
  };
}

function columnOf({ name: title, type, format = '', description, priority = 0 }: CustomResourceColumnDefinition) {
  return { name: title, type, format, description: description || 'Custom resource definition column', priority };
}

function pathOrNone(text: string): JsonPath {
  try {
    return parseJsonPath(text);
  } catch {
    return () => [];
  }
}

function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  if (value === null) return '<no value>';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A value that is not of the column's type is shown as nothing. */
function cellOf(type: string, value: unknown, nowMs: number): unknown {
  switch (type) {
    case 'integer':
      return typeof value === 'bigint' ? value : typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date': {
      if (typeof value !== 'string') return null;
      const ms = Date.parse(value);
      return Number.isNaN(ms) ? '<invalid>' : shortHumanDuration(nowMs - ms);
    }
    default:
      return null;
  }
}
