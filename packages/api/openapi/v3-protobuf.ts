import { writeGnostic, type FieldRow, type Message } from './gnostic.ts';
import type { Schema } from './schemas.ts';

/** An OpenAPI v3 document as the message `openapi.v3.Document` of gnostic, as client-go asks for it. */
export function openApiV3Protobuf(document: Schema): Uint8Array {
  return writeGnostic(document, 'Document', {
    messages,
    specials: {
      // DefaultType { number = 1, boolean = 2, string = 3 }: there is no form for objects and lists.
      default(value, _wire, write) {
        if (typeof value === 'number') write(1, 'double', value);
        else if (typeof value === 'boolean') write(2, 'bool', value);
        else if (typeof value === 'string') write(3, 'string', value);
      },
      boolOrSchema: (value, _wire, write) =>
        typeof value === 'boolean' ? write(2, 'bool', value) : write(1, 'or:Schema', value),
    },
  });
}

const schema: Readonly<Record<string, FieldRow>> = {
  nullable: [1, 'bool'],
  externalDocs: [6, 'ExternalDocs'],
  example: [7, 'any'],
  title: [9, 'string'],
  multipleOf: [10, 'double'],
  maximum: [11, 'double'],
  exclusiveMaximum: [12, 'bool'],
  minimum: [13, 'double'],
  exclusiveMinimum: [14, 'bool'],
  maxLength: [15, 'int'],
  minLength: [16, 'int'],
  pattern: [17, 'string'],
  maxItems: [18, 'int'],
  minItems: [19, 'int'],
  uniqueItems: [20, 'bool'],
  maxProperties: [21, 'int'],
  minProperties: [22, 'int'],
  required: [23, '[]string'],
  enum: [24, '[]any'],
  type: [25, 'string'],
  allOf: [26, '[]or:Schema'],
  oneOf: [27, '[]or:Schema'],
  anyOf: [28, '[]or:Schema'],
  not: [29, 'Schema'],
  items: [30, '1 or:Schema'],
  properties: [31, '{}or:Schema'],
  additionalProperties: [32, 'boolOrSchema'],
  default: [33, 'default'],
  description: [34, 'string'],
  format: [35, 'string'],
};

const methods: Readonly<Record<string, FieldRow>> = {
  get: [4, 'Operation'],
  put: [5, 'Operation'],
  post: [6, 'Operation'],
  delete: [7, 'Operation'],
  options: [8, 'Operation'],
  head: [9, 'Operation'],
  patch: [10, 'Operation'],
};

const messages: Readonly<Record<string, Message>> = {
  Document: {
    fields: {
      openapi: [1, 'string'],
      info: [2, 'Info'],
      paths: [4, 'Paths'],
      components: [5, 'Components'],
    },
    extensions: 9,
  },
  Info: { fields: { title: [1, 'string'], version: [6, 'string'] }, extensions: 7 },
  Paths: { fields: {}, extensions: 2, others: [1, 'PathItem'] },
  Components: {
    fields: { schemas: [1, '{}or:Schema'], securitySchemes: [7, '{}or:SecurityScheme'] },
    extensions: 10,
  },
  SecurityScheme: {
    fields: { type: [1, 'string'], description: [2, 'string'], name: [3, 'string'], in: [4, 'string'] },
    extensions: 9,
  },
  Schema: { fields: schema, extensions: 36 },
  ExternalDocs: { fields: { description: [1, 'string'], url: [2, 'string'] }, extensions: 3 },
  PathItem: { fields: { ...methods, parameters: [13, '[]or:Parameter'] }, extensions: 14 },
  Operation: {
    fields: {
      tags: [1, '[]string'],
      description: [3, 'string'],
      operationId: [5, 'string'],
      parameters: [6, '[]or:Parameter'],
      requestBody: [7, 'or:RequestBody'],
      responses: [8, 'Responses'],
    },
    extensions: 13,
  },
  Parameter: {
    fields: {
      name: [1, 'string'],
      in: [2, 'string'],
      description: [3, 'string'],
      required: [4, 'bool'],
      schema: [10, 'or:Schema'],
    },
    extensions: 14,
  },
  RequestBody: { fields: { content: [2, '{}MediaType'], required: [3, 'bool'] }, extensions: 4 },
  Responses: { fields: {}, extensions: 3, others: [2, 'or:Response'] },
  Response: { fields: { description: [1, 'string'], content: [3, '{}MediaType'] }, extensions: 5 },
  MediaType: { fields: { schema: [1, 'or:Schema'] }, extensions: 5 },
};
