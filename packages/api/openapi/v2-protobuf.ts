import { writeGnostic, type FieldRow, type Message } from './gnostic.ts';
import type { Schema } from './schemas.ts';

/**
 * The OpenAPI v2 document as the message `openapi.v2.Document` of gnostic, the only form in which client-go reads
 * `/openapi/v2` (`application/com.github.proto-openapi.spec.v2@v1.0+protobuf`).
 */
export function openApiV2Protobuf(document: Schema): Uint8Array {
  return writeGnostic(document, 'Document', {
    messages,
    specials: {
      parameter: (value, _wire, write) => writeParameter(value as Schema, write),
      // ParametersItem { parameter = 1, json_reference = 2 }
      parameterOrReference(value, _wire, write) {
        if ((value as Schema)['$ref'] === undefined) write(1, 'parameter', value);
        else write(2, '1 string', (value as Schema)['$ref']);
      },
      boolOrSchema: (value, _wire, write) =>
        typeof value === 'boolean' ? write(2, 'bool', value) : write(1, 'Schema', value),
      security: (value, _wire, write) => write(1, 'securityPair', Object.keys(value as Schema)[0]),
      securityPair(value, _wire, write) {
        write(2, 'empty', {});
        write(1, 'string', value);
      },
      empty: () => {},
    },
  });
}

const schema: Readonly<Record<string, FieldRow>> = {
  $ref: [1, 'string'],
  format: [2, 'string'],
  title: [3, 'string'],
  description: [4, 'string'],
  default: [5, 'any'],
  multipleOf: [6, 'double'],
  maximum: [7, 'double'],
  exclusiveMaximum: [8, 'bool'],
  minimum: [9, 'double'],
  exclusiveMinimum: [10, 'bool'],
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
  additionalProperties: [21, 'boolOrSchema'],
  // One type, or a list of them.
  type: [22, '1 []string'],
  items: [23, '1 Schema'],
  allOf: [24, '[]Schema'],
  properties: [25, '{}Schema'],
  externalDocs: [29, 'ExternalDocs'],
  example: [30, 'any'],
};

const parameter: Readonly<Record<string, FieldRow>> = {
  required: [1, 'bool'],
  in: [2, 'string'],
  description: [3, 'string'],
  name: [4, 'string'],
};

const methods: Readonly<Record<string, FieldRow>> = {
  get: [2, 'Operation'],
  put: [3, 'Operation'],
  post: [4, 'Operation'],
  delete: [5, 'Operation'],
  options: [6, 'Operation'],
  head: [7, 'Operation'],
  patch: [8, 'Operation'],
};

const messages: Readonly<Record<string, Message>> = {
  Document: {
    fields: {
      swagger: [1, 'string'],
      info: [2, 'Info'],
      paths: [8, '{2}PathItem'],
      definitions: [9, '{}Schema'],
      parameters: [10, '{}parameter'],
      security: [12, '[]security'],
      securityDefinitions: [13, '{}2 ApiKey'],
    },
    extensions: 16,
  },
  Info: { fields: { title: [1, 'string'], version: [2, 'string'] }, extensions: 7 },
  Schema: { fields: schema, extensions: 31 },
  ExternalDocs: { fields: { description: [1, 'string'], url: [2, 'string'] }, extensions: 3 },
  PathItem: { fields: { ...methods, parameters: [9, '[]parameterOrReference'] }, extensions: 10 },
  Operation: {
    fields: {
      tags: [1, '[]string'],
      description: [3, 'string'],
      operationId: [5, 'string'],
      produces: [6, '[]string'],
      consumes: [7, '[]string'],
      parameters: [8, '[]parameterOrReference'],
      responses: [9, '{}1 Response'],
      schemes: [10, '[]string'],
    },
    extensions: 13,
  },
  Response: { fields: { description: [1, 'string'], schema: [2, '1 Schema'] }, extensions: 5 },
  BodyParameter: {
    fields: { name: [2, 'string'], in: [3, 'string'], required: [4, 'bool'], schema: [5, 'Schema'] },
    extensions: 6,
  },
  QueryParameter: { fields: { ...parameter, type: [6, 'string'], uniqueItems: [20, 'bool'] }, extensions: 23 },
  PathParameter: { fields: { ...parameter, type: [5, 'string'], uniqueItems: [19, 'bool'] }, extensions: 22 },
  ApiKey: {
    fields: { type: [1, 'string'], name: [2, 'string'], in: [3, 'string'], description: [4, 'string'] },
    extensions: 5,
  },
};

/** Parameter { body_parameter = 1, non_body_parameter = 2 { query = 3, path = 4 } } */
function writeParameter(value: Schema, write: (number: number, type: string, value: unknown) => void): void {
  if (value['in'] === 'body') write(1, 'BodyParameter', value);
  else write(2, value['in'] === 'query' ? '3 QueryParameter' : '4 PathParameter', value);
}
