import { enums, type MessageName, messages } from './types.ts';

/** A field of a message, parsed from the table once. */
export interface FieldLayout {
  readonly name: string;
  readonly number: number;
  readonly cardinality: 'single' | 'repeated' | 'map';
  /** A scalar's name, `enum` or `message`. */
  readonly type: string;
  readonly values: readonly string[] | undefined;
  readonly message: MessageName | undefined;
}

export interface MessageLayout {
  readonly fields: readonly FieldLayout[];
  readonly byNumber: ReadonlyMap<number, FieldLayout>;
}

const layouts = new Map<MessageName, MessageLayout>();

export function layoutOf(name: MessageName): MessageLayout {
  const known = layouts.get(name);
  if (known) return known;
  const fields = Object.entries(messages[name]).map(([fieldName, fact]) => parseField(fieldName, fact));
  const layout = { fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
  layouts.set(name, layout);
  return layout;
}

function parseField(name: string, fact: string): FieldLayout {
  const [number, ...rest] = fact.split(' ');
  const type = rest.at(-1) ?? '';
  const cardinality = rest.length === 1 ? 'single' : rest[0] === 'map' ? 'map' : 'repeated';
  const values: readonly string[] | undefined = (enums as Readonly<Record<string, readonly string[]>>)[type];
  const message = type in messages ? (type as MessageName) : undefined;
  return {
    name,
    number: Number(number),
    cardinality,
    type: message ? 'message' : values ? 'enum' : type,
    values,
    message,
  };
}
