import type { Cell, ColumnInfo, KubernetesObject } from '@kubernode/api';
import type { CustomResourceColumnDefinition } from '@kubernode/api/apiextensions/v1';
import { shortHumanDuration } from '@kubernode/machinery';
import { parseJsonPath, type JsonPath } from './json-path.ts';

/** The columns of a custom resource's Table, and how its rows are filled. */
export interface CustomColumns {
  readonly columns: readonly ColumnInfo[];
  readonly row: (object: KubernetesObject) => readonly Cell[];
}

const name: ColumnInfo = { name: 'Name', type: 'string', format: 'name', description: 'Name of the object' };
const age: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: 'Time since creation',
  jsonPath: '.metadata.creationTimestamp',
};

/** What the columns of an object find on their way, all together; beyond, they show nothing. */
const foundMax = 100_000;

/** Columns whose path cannot be read show nothing. */
export function customColumns(definitions: readonly CustomResourceColumnDefinition[] | undefined): CustomColumns {
  const own = definitions && definitions.length > 0 ? definitions : [age];
  const cells = own.map(({ jsonPath, type }) => ({ find: pathOrNone(jsonPath), type }));
  return {
    columns: [name, ...own.map(columnOf)],
    row: (object) => {
      const budget = { left: foundMax };
      const cellsOf = cells.map(({ find, type }) => {
        const [value] = find(object, budget);
        return type === 'string' ? textOf(value) : cellOf(type, value);
      });
      return [object.metadata.name, ...cellsOf];
    },
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
function cellOf(type: string, value: unknown): Cell {
  switch (type) {
    case 'integer':
      return typeof value === 'bigint' ? value : typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? sinceCell(Date.parse(value)) : null;
    default:
      return null;
  }
}

const sinceCell = (ms: number): Cell => (Number.isNaN(ms) ? '<invalid>' : (nowMs) => shortHumanDuration(nowMs - ms));
