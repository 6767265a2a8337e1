import { WireWriter } from '../codec/protobuf/wire-writer.ts';
import type { Schema } from './schemas.ts';

/**
 * A field of a message: its number, and its type. `[]` repeats; `{}` is a map: a message whose field 1, or the field
 * between the braces, repeats pairs of a name and a value; `{}` without a message around it is written `<n>`; a number
 * before a name nests a message that has only that field. `or:Name` is Name as field 1, or a reference as field 2.
 */
export type FieldRow = readonly [number: number, type: string];

export interface Message {
  readonly fields: Readonly<Record<string, FieldRow>>;
  /** The number of the repeated `x-…` pairs; 0 where there are none. */
  readonly extensions: number;
  /** A message that is a map: the number and type of the pairs that other names than those of `fields` are. */
  readonly others?: FieldRow;
}

type Special = (value: unknown, wire: WireWriter, write: WriteField) => void;
export type WriteField = (number: number, type: string, value: unknown) => void;

export interface Gnostic {
  readonly messages: Readonly<Record<string, Message>>;
  /** Types whose form depends on their value: each writes the contents of its message. */
  readonly specials?: Readonly<Record<string, Special>>;
}

/** Writes a JSON document as gnostic's protobuf messages. Throws on a message that the tables do not have. */
export function writeGnostic(document: Schema, name: string, { messages, specials = {} }: Gnostic): Uint8Array {
  const wire = new WireWriter();

  const delimited = (number: number, body: () => void): void => {
    const before = wire.length;
    body();
    wire.varint(wire.length - before);
    wire.tag(number, 2);
  };
  const writeMessage = (value: Schema, messageName: string): void => {
    const message = messages[messageName];
    if (!message) throw new Error(`writeGnostic: message "${messageName}" is not known`);
    for (const [key, item] of Object.entries(value).reverse()) {
      const row = Object.hasOwn(message.fields, key) ? message.fields[key] : undefined;
      if (row) writeField(row[0], row[1], item);
      else if (key.startsWith('x-')) writePair(message.extensions, key, 'any', item);
      else if (message.others) writePair(message.others[0], key, message.others[1], item);
    }
  };
  /** A message of a name and a value. */
  const writePair = (number: number, key: string, type: string, value: unknown): void =>
    delimited(number, () => {
      writeField(2, type, value);
      writeField(1, 'string', key);
    });
  const writeField: WriteField = (number, type, value) => {
    const map = /^\{(\d*)\}(.*)$/.exec(type);
    const nested = /^(\d+) (.*)$/.exec(type);
    if (type.startsWith('[]')) {
      const items = Array.isArray(value) ? value : [value];
      for (const item of items.toReversed()) writeField(number, type.slice(2), item);
    } else if (map) {
      delimited(number, () => {
        for (const [key, item] of Object.entries(value as Schema).reverse()) {
          writePair(Number(map[1] || 1), key, map[2] ?? '', item);
        }
      });
    } else if (nested) delimited(number, () => writeField(Number(nested[1]), nested[2] ?? '', value));
    else writeOne(number, type, value);
  };
  const writeOne = (number: number, type: string, value: unknown): void => {
    switch (type) {
      case 'string':
        wire.string(value as string);
        return wire.tag(number, 2);
      case 'bool':
        wire.bool(value as boolean);
        return wire.tag(number, 0);
      case 'int':
        wire.varint(value as number);
        return wire.tag(number, 0);
      case 'double':
        wire.double(value as number);
        return wire.tag(number, 1);
      case 'any':
        // Any { yaml = 2 }: JSON is YAML.
        return delimited(number, () => writeOne(2, 'string', JSON.stringify(value)));
      default:
        return delimited(number, () => writeContents(type, value));
    }
  };
  const writeContents = (type: string, value: unknown): void => {
    const special = specials[type];
    if (special) special(value, wire, writeField);
    else if (!type.startsWith('or:')) writeMessage(value as Schema, type);
    else if ((value as Schema)['$ref'] !== undefined) {
      delimited(2, () => writeOne(1, 'string', (value as Schema)['$ref']));
    } else delimited(1, () => writeContents(type.slice(3), value));
  };

  writeMessage(document, name);
  return wire.finish();
}
