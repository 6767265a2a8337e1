import { WireWriter } from '../codec/protobuf/wire-writer.ts';
import type { Schema } from './schemas.ts';

/**
 * The OpenAPI v2 document as the message `openapi.v2.Document` of gnostic, the only form in which client-go reads
 * `/openapi/v2` (`application/com.github.proto-openapi.spec.v2@v1.0+protobuf`).
 */
export function openApiV2Protobuf(document: Schema): Uint8Array {
  const wire = new WireWriter();
  writeMessage(document, 'Document', wire);
  return wire.finish();
}

/**
 * A field of a message: its number, and its type. `[]` repeats; `{}` is a map: a message whose field 1, or the field
 * after the colon, repeats pairs of a name and a value; `a/b` nests messages, each of which has only the field that the
 * number before its name gives.
 */
type FieldRow = readonly [number: number, type: string];

const schema: Readonly<Record<string, FieldRow>> = {
  $ref: [1, 'string'],
  format: [2, 'string'],
  description: [4, 'string'],
  default: [5, 'any'],
  maximum: [7, 'double'],
  minimum: [9, 'double'],
  maxLength: [11, 'int'],
  minLength: [12, 'int'],
  pattern: [13, 'string'],
  maxItems: [14, 'int'],
  minItems: [15, 'int'],
  uniqueItems: [16, 'bool'],
  maxProperties: [17, 'int'],
  minProperties: [18, 'int'],
  required: [19, '[]string'],
  enum: [20, '[]any'],
  additionalProperties: [21, '1 Schema'],
  type: [22, '1 string'],
  items: [23, '1 Schema'],
  allOf: [24, '[]Schema'],
  properties: [25, '{}Schema'],
};

const operation: Readonly<Record<string, FieldRow>> = {
  tags: [1, '[]string'],
  operationId: [5, 'string'],
  produces: [6, '[]string'],
  consumes: [7, '[]string'],
  parameters: [8, '[]Parameter'],
  responses: [9, '{}1 Response'],
  schemes: [10, '[]string'],
};

const parameter: Readonly<Record<string, FieldRow>> = {
  required: [1, 'bool'],
  in: [2, 'string'],
  name: [4, 'string'],
};

/** Message → JSON's name of a field → its row; `extensions`: the number of the repeated `x-…` pairs. */
const messages: Readonly<Record<string, { readonly fields: Readonly<Record<string, FieldRow>>; extensions: number }>> =
  {
    Document: {
      fields: {
        swagger: [1, 'string'],
        info: [2, 'Info'],
        paths: [8, '{2}PathItem'],
        definitions: [9, '{}Schema'],
        security: [12, '[]SecurityRequirement'],
        securityDefinitions: [13, '{}2 ApiKey'],
      },
      extensions: 16,
    },
    Info: { fields: { title: [1, 'string'], version: [2, 'string'] }, extensions: 7 },
    Schema: { fields: schema, extensions: 31 },
    PathItem: {
      fields: {
        get: [2, 'Operation'],
        put: [3, 'Operation'],
        post: [4, 'Operation'],
        delete: [5, 'Operation'],
        patch: [8, 'Operation'],
        parameters: [9, '[]Parameter'],
      },
      extensions: 10,
    },
    Operation: { fields: operation, extensions: 13 },
    Response: { fields: { description: [1, 'string'], schema: [2, '1 Schema'] }, extensions: 5 },
    BodyParameter: {
      fields: { name: [2, 'string'], in: [3, 'string'], required: [4, 'bool'], schema: [5, 'Schema'] },
      extensions: 6,
    },
    QueryParameter: { fields: { ...parameter, type: [6, 'string'], uniqueItems: [20, 'bool'] }, extensions: 23 },
    PathParameter: { fields: { ...parameter, type: [5, 'string'], uniqueItems: [19, 'bool'] }, extensions: 22 },
    ApiKey: { fields: { type: [1, 'string'], name: [2, 'string'], in: [3, 'string'] }, extensions: 5 },
  };

/** Where a parameter goes: numbers of the messages around it, from the outside in, and its own name. */
const parameterForms: Readonly<Record<string, readonly [path: readonly number[], message: string]>> = {
  body: [[1, 1], 'BodyParameter'],
  query: [[1, 2, 3], 'QueryParameter'],
  path: [[1, 2, 4], 'PathParameter'],
};

function writeMessage(value: Schema, name: string, wire: WireWriter): void {
  const message = messages[name];
  if (!message) throw new Error(`openApiV2Protobuf: message "${name}" is not known`);
  for (const [key, item] of Object.entries(value).reverse()) {
    const row = message.fields[key];
    if (row) writeField(row[0], row[1], item, wire);
    else if (key.startsWith('x-')) writePair(message.extensions, key, 'any', item, wire);
  }
}

function writeField(number: number, type: string, value: unknown, wire: WireWriter): void {
  const map = /^\{(\d*)\}(.*)$/.exec(type);
  const nested = /^(\d+) (.*)$/.exec(type);
  if (type.startsWith('[]')) {
    for (const item of (value as readonly unknown[]).toReversed()) writeField(number, type.slice(2), item, wire);
  } else if (map) {
    delimited(number, wire, () => {
      for (const [key, item] of Object.entries(value as Schema).reverse()) {
        writePair(Number(map[1] || 1), key, map[2] ?? '', item, wire);
      }
    });
  } else if (nested) delimited(number, wire, () => writeField(Number(nested[1]), nested[2] ?? '', value, wire));
  else writeOne(number, type, value, wire);
}

function writeOne(number: number, type: string, value: unknown, wire: WireWriter): void {
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
      return delimited(number, wire, () => writeOne(2, 'string', JSON.stringify(value), wire));
    case 'Parameter': {
      const [path, message] = parameterForms[(value as { in: string }).in] ?? [[], ''];
      return within([number, ...path], wire, () => writeMessage(value as Schema, message, wire));
    }
    case 'SecurityRequirement':
      return delimited(number, wire, () => {
        for (const name of Object.keys(value as Schema)) {
          delimited(1, wire, () => {
            delimited(2, wire, () => {});
            writeOne(1, 'string', name, wire);
          });
        }
      });
    default:
      return delimited(number, wire, () => writeMessage(value as Schema, type, wire));
  }
}

/** A message of a name and a value. */
function writePair(number: number, key: string, type: string, value: unknown, wire: WireWriter): void {
  delimited(number, wire, () => {
    writeField(2, type, value, wire);
    writeOne(1, 'string', key, wire);
  });
}

function within(numbers: readonly number[], wire: WireWriter, body: () => void): void {
  const [first = 0, ...rest] = numbers;
  delimited(first, wire, rest.length === 0 ? body : () => within(rest, wire, body));
}

function delimited(number: number, wire: WireWriter, body: () => void): void {
  const before = wire.length;
  body();
  wire.varint(wire.length - before);
  wire.tag(number, 2);
}
