import type { Content } from '../request.ts';
import type { JsonParts } from './json-items.ts';
import { listForm } from './list-form.ts';
import { measuredItems, sharedItems, type JoinedList } from './list-items.ts';
import { mediaTypes } from './negotiate.ts';
import { fillWith, lengthOfParts } from './print.ts';
import { listParts } from './transform.ts';

type List = Extract<Content, { type: 'list' }>;

/**
 * A list as a Table or as metadata only, in compact JSON; undefined for one without objects. Metadata is in memory once
 * for all its readers; rows have ages. Throws NotAcceptable, BadRequest.
 */
export function joinedParts(list: List, nowMs: number, query: URLSearchParams): JoinedList | undefined {
  const parts = listParts(list, nowMs, query);
  const { field, json, head } = parts;
  if (!json || list.objects.length === 0) return undefined;
  const { before, between, after } = listForm(parts, list.format);
  const items = (): JsonParts =>
    list.objects.flatMap((object, index) => [...(index > 0 ? [between] : []), ...json(object)]).concat(after);
  const make = () => measuredItems(items, lengthOfParts, fillWith);
  return {
    contentType: mediaTypes.json,
    head: Buffer.from(before),
    items: field === 'rows' ? make() : sharedItems(list, make, `items of ${String(head['apiVersion'])}`),
  };
}
