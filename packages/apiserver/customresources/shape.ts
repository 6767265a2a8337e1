import { shapeOf } from '@kubernode/api';
import type { Field, ObjectShape, Shape } from '@kubernode/machinery';
import { hasFreeKeys, isIntOrString, itemsOf, valuesOf, type Schema } from './schema.ts';

const text: Shape = { type: 'string' };
const any: Shape = { type: 'any' };
const objectMeta = () => shapeOf('meta.k8s.io/v1.ObjectMeta');

/** How custom objects are read and written: metadata is known, all else is kept as it comes and judged by the schema. */
export const customShape: ObjectShape = objectShape([
  field('kind', text),
  field('apiVersion', text),
  {
    ...field('metadata', any),
    get shape() {
      return objectMeta();
    },
    pointer: false,
    omitempty: false,
  },
]);

/** Who can own what of a custom object: its schema as server-side apply reads it. */
export function applyShapeOf(schema: Schema): ObjectShape {
  const own = fieldsOf(schema).filter(({ name }) => !customShape.byName.has(name));
  return objectShape([...customShape.fields, ...own]);
}

function shapeOfSchema(schema: Schema | undefined): Shape {
  if (!schema) return any;
  if (isIntOrString(schema)) return { type: 'intOrString' };
  switch (schema.type) {
    case 'array':
      return listShape(schema);
    case 'object':
      return mapOrObject(schema);
    case 'string':
      return text;
    case 'boolean':
      return { type: 'bool' };
    case 'integer':
      return { type: 'int64' };
    case 'number':
      return { type: 'float64' };
    default:
      return any;
  }
}

function listShape(schema: Schema): Shape {
  const listType = schema['x-kubernetes-list-type'];
  return {
    type: 'list',
    items: shapeOfSchema(itemsOf(schema)),
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
  };
}

function mapOrObject(schema: Schema): Shape {
  const atomic = schema['x-kubernetes-map-type'] === 'atomic';
  if (hasFreeKeys(schema)) return { type: 'map', values: shapeOfSchema(valuesOf(schema)), atomic };
  return objectShape(fieldsOf(schema), atomic);
}

const fieldsOf = ({ properties }: Schema): Field[] =>
  Object.entries(properties ?? {}).map(([name, schema]) => field(name, shapeOfSchema(schema), schema.default));

function objectShape(fields: readonly Field[], atomic = false): ObjectShape {
  const byName = new Map(fields.map((each) => [each.name, each]));
  return { type: 'object', name: '', fields, byName, embedded: [], atomic };
}

function field(name: string, shape: Shape, value?: unknown): Field {
  return {
    name,
    shape,
    proto: 0,
    pointer: true,
    omitempty: true,
    required: false,
    enum: undefined,
    default: value,
    patchStrategy: '',
    patchMergeKey: '',
    featureGates: [],
    markers: [],
  };
}
