import type { ScalarType, Shape } from '@kubernode/machinery';

const goScalars: Readonly<Record<ScalarType, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  uint32: 'uint32',
  uint64: 'uint64',
  float32: 'float32',
  float64: 'float64',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  time: 'v1.Time',
  microtime: 'v1.MicroTime',
  duration: 'v1.Duration',
};

/** The Go name of a type, as error messages give it: `[]v1.Container`, `map[string]string`. */
export function goTypeOf(shape: Shape): string {
  switch (shape.type) {
    case 'list':
      return `[]${goTypeOf(shape.items)}`;
    case 'map':
      return `map[string]${goTypeOf(shape.values)}`;
    case 'object':
      return shape.name.slice(shape.name.lastIndexOf('/') + 1) || 'map[string]interface {}';
    case 'rawExtension':
      return 'runtime.RawExtension';
    case 'fieldsV1':
      return 'v1.FieldsV1';
    case 'any':
      return 'interface {}';
    default:
      return goScalars[shape.type];
  }
}

/** `core/v1.PodSpec` → `PodSpec`. */
export const structNameOf = (typeName: string) => typeName.slice(typeName.lastIndexOf('.') + 1);
