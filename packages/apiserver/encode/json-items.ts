import type { ServedResource } from '../registry.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { knownJson, typeMetaLength } from './forms.ts';
import { metadataPlace, textWithoutManagedFields, type MetadataPlace } from './metadata-bytes.ts';
import { Recent } from './recent.ts';
import { rowText, rowTextAt, type RowText } from './row-text.ts';
import { hasCarriers, partialOf, rowCells, rowOf, type TableOptions } from './table.ts';
import { passingIn } from './value.ts';

/** JSON, to be joined. */
export type JsonParts = readonly (string | Uint8Array)[];

/**
 * An object's `partialOf`, as JSON. Its metadata is cut out of the object's own JSON, whatever it holds: nothing is
 * decoded where that JSON is at hand.
 */
export function partialJson(stored: StoredObject, resource: ServedResource, version: string): JsonParts {
  const json = hasCarriers(resource) ? undefined : knownJson(stored, resource);
  const place = json && metadataPlace(json, typeMetaLength(resource));
  if (!place) return [JSON.stringify(partialOf(resource, passingIn(stored, resource), version))];
  return [partialHead(version), json.subarray(place.start, place.end), '}'];
}

const partialHead = (version: string) =>
  `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":`;

export interface RowOptions extends TableOptions {
  /** Its name says that it is the default. */
  readonly isMarked: boolean;
  /** Whether the row is kept for the next reader. */
  readonly keeps: boolean;
}

/** An object's `rowOf`, as JSON. Only what cells are made of is decoded where the object's JSON is at hand. */
export function rowJson(stored: StoredObject, resource: ServedResource, options: RowOptions): JsonParts {
  const { include, version, nowMs, isMarked } = options;
  const json = include === 'Metadata' && hasCarriers(resource) ? undefined : knownJson(stored, resource);
  const row = json && rowOfJson(json, stored, resource, options);
  if (!row) return [JSON.stringify(rowOf(resource, passingIn(stored, resource), options, isMarked))];
  const head = rowTextAt(row.text, nowMs);
  if (include === 'None') return [`${head}null}`];
  if (include === 'Object') return [head, json, '}'];
  return [head + partialHead(version), json.subarray(row.place.start, row.place.end), '}}'];
}

/** What there is to know of an object to show its row at any time: some hundred bytes. */
interface Row {
  readonly text: RowText;
  readonly place: MetadataPlace;
}

/** So many rows are kept at least, of all objects in all their versions: some megabytes. */
const keptRowsMin = 10_000;

interface KeptRow {
  readonly resource: ServedResource;
  readonly row: Row;
}

const kept = new Recent<StoredObject, KeptRow>(keptRowsMin);

/** Undefined for JSON that is not as we write it. */
function rowOfJson(
  json: Buffer,
  stored: StoredObject,
  resource: ServedResource,
  { isMarked, keeps }: RowOptions,
): Row | undefined {
  // What marks it is of other objects.
  if (isMarked) return makeRow(json, stored, resource, isMarked);
  const known = kept.get(stored);
  if (known?.resource === resource) return known.row;
  const row = makeRow(json, stored, resource, isMarked);
  if (row && keeps) kept.set(stored, { resource, row });
  return row;
}

function makeRow(json: Buffer, stored: StoredObject, resource: ServedResource, isMarked: boolean): Row | undefined {
  const place = metadataPlace(json, typeMetaLength(resource));
  if (!place) return undefined;
  // What is decoded already may be of another version than what is shown, but where it is known to be shown as it is.
  const known = resource.conversion.readForm ? undefined : stored.decoded;
  const object = known ?? StoredObject.decode(textForCells(json, place, resource));
  const { cells, conditions } = rowCells(resource, object, isMarked);
  return { text: rowText(cells, conditions), place };
}

/** A custom object's columns may show anything of it. */
const textForCells = (json: Buffer, place: MetadataPlace, { custom }: ServedResource): string =>
  custom ? json.toString('utf8') : textWithoutManagedFields(json, place);
