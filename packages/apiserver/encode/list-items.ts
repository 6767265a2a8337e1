import type { ServedResource } from '../registry.ts';
import type { Content } from '../request.ts';

type List = Extract<Content, { type: 'list' }>;

/** The items of a list as bytes, and its end: the same for all who are shown the same objects, whenever that is. */
export interface ListItems {
  readonly length: number;
  /** Into so much memory. */
  fill(into: Buffer): void;
}

/** A list as bytes, in two parts. */
export interface JoinedList {
  readonly contentType: string;
  /** All that stands before the items: of this answer only. */
  readonly head: Uint8Array;
  readonly items: ListItems;
}

export function wholeOf({ head, items }: JoinedList): Buffer {
  const whole = Buffer.allocUnsafe(head.length + items.length);
  whole.set(head);
  items.fill(whole.subarray(head.length));
  return whole;
}

/** Items whose parts are made to be measured: they are held until the first filling, and made again for any other. */
export function measuredItems<P extends object>(
  make: () => P,
  lengthOf: (parts: P) => number,
  write: (parts: P, into: Buffer) => void,
): ListItems {
  let measured: P | undefined = make();
  return {
    length: lengthOf(measured),
    fill(into) {
      write(measured ?? make(), into);
      measured = undefined;
    },
  };
}

interface Shared {
  readonly resource: ServedResource;
  readonly readForm: string | undefined;
  readonly byForm: Map<string, ListItems>;
}

/** By the objects, which most readers share as long as nothing changes. */
const latest = new WeakMap<List['objects'], Shared>();

/** The items that the latest reader of these objects was told in this form, or new ones. */
export function sharedItems(
  { objects, resource, format }: List,
  make: () => ListItems,
  form: string = format.encoding,
): ListItems {
  const { readForm } = resource.conversion;
  let shared = latest.get(objects);
  if (shared?.resource !== resource || shared.readForm !== readForm) {
    shared = { resource, readForm, byForm: new Map() };
    latest.set(objects, shared);
  }
  const known = shared.byForm.get(form);
  const items = known ?? make();
  if (!known) shared.byForm.set(form, items);
  return items;
}
