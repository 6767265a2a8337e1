import type { ObjectShape, Shape } from '@kubernode/machinery';
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  escapeProperty,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  type CelField,
  type CelType,
} from '@kubernode/machinery/cel';

const types = new WeakMap<ObjectShape, CelType>();

/** The type that expressions see of values of a shape; types that contain themselves are finite. */
export function shapeType(shape: Shape): CelType {
  switch (shape.type) {
    case 'object': {
      let type = types.get(shape);
      if (!type) types.set(shape, (type = typeOfObject(shape)));
      return type;
    }
    case 'list':
      return listType(shapeType(shape.items));
    case 'map':
      return mapType(stringType, shapeType(shape.values));
    case 'bool':
      return boolType;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return intType;
    case 'float32':
    case 'float64':
      return doubleType;
    case 'bytes':
      return bytesType;
    case 'time':
    case 'microtime':
      return timestampType;
    case 'string':
    case 'quantity':
    case 'duration':
      return stringType;
    default:
      return dynType;
  }
}

function typeOfObject(shape: ObjectShape): CelType {
  let fields: ReadonlyMap<string, CelField> | undefined;
  return objectType(shape.name || 'object', () => {
    fields ??= new Map(
      shape.fields.flatMap(({ name, shape: inner }) => {
        const escaped = escapeProperty(name);
        return escaped === undefined ? [] : [[escaped, { type: shapeType(inner), property: name }] as const];
      }),
    );
    return fields;
  });
}
