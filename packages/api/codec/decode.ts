import { absentList, isAbsentList, type ObjectShape, type Shape } from '@kubernode/machinery';
import { DecodeError } from './decode-error.ts';
import { goTypeOf, structNameOf } from './go-types.ts';
import { isOpen, openReader } from './open.ts';
import { readScalar } from './read-scalar.ts';
import { Layout, type FieldReader } from './layout.ts';
import type { DecodeState, Reader, Target } from './reader.ts';
import { nestingMax, readAny, setOwn, tooDeep } from './reader.ts';
import { schemaShape, specialFormOf, specialReader } from './special-forms.ts';

const readers = new WeakMap<Shape, Reader>();

/** The reader of a shape, made once. */
export function readerOf(shape: Shape): Reader {
  let reader = readers.get(shape);
  if (!reader) {
    reader = makeReader(shape);
    readers.set(shape, reader);
  }
  return reader;
}

function makeReader(shape: Shape): Reader {
  switch (shape.type) {
    case 'object':
      return specialOrObjectReader(shape);
    case 'list':
      return listReader(shape.items, goTypeOf(shape));
    case 'map':
      return mapReader(shape.values, goTypeOf(shape));
    case 'fieldsV1':
      return readFieldSet;
    case 'rawExtension':
    case 'any':
      return readAny;
    default:
      return readScalar[shape.type];
  }
}

/** Sets of owned fields are never changed in place: those of a stored object are handed on as they are. */
const readFieldSet: Reader = (value, state) =>
  typeof value === 'object' && Object.isFrozen(value) ? value : readAny(value, state);

function specialOrObjectReader(shape: ObjectShape): Reader {
  if (isOpen(shape)) return openReader(shape, readerOf);
  const form = specialFormOf(shape.name);
  return form ? specialReader(form, (value, state) => readerOf(schemaShape())(value, state)) : objectReader(shape);
}

/** Of a type of the facts. What holds for its fields is found out when the first of its objects comes. */
function objectReader(shape: ObjectShape): Reader {
  const struct = structNameOf(shape.name);
  let layout: Layout | undefined;
  return (value, state) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw DecodeError.mismatch(value, goTypeOf(shape));
    }
    layout ??= new Layout(shape.fields.map((field, index) => fieldReader(field, index, shape.name)));
    if (++state.depth > nestingMax) throw tooDeep();
    const object = layout.read(value as Target, struct, state);
    state.depth--;
    return object;
  };
}

/**
 * Lists that differ empty from absent, though neither is printed: the absent one gets a default, the empty one is refused
 * or counts as said.
 */
const keptEmpty: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/v1.MutatingWebhook.matchConditions',
  'admissionregistration.k8s.io/v1.MutatingWebhook.rules',
  'admissionregistration.k8s.io/v1.ValidatingWebhook.matchConditions',
  'admissionregistration.k8s.io/v1.ValidatingWebhook.rules',
  'autoscaling/v2.HPAScalingRules.policies',
  'core/v1.EphemeralContainer.ports',
  'core/v1.ResourceRequirements.claims',
  'core/v1.EphemeralContainer.resizePolicy',
  'core/v1.EphemeralContainer.restartPolicyRules',
  'resource.k8s.io/v1.ResourceSliceSpec.devices',
  'resource.k8s.io/v1.ResourceSliceSpec.sharedCounters',
  'resource.k8s.io/v1beta1.DeviceRequest.derivedAttributes',
  'resource.k8s.io/v1beta1.DeviceRequest.selectors',
  'resource.k8s.io/v1beta1.DeviceRequest.tolerations',
  'resource.k8s.io/v1beta1.ResourceSliceSpec.devices',
  'resource.k8s.io/v1beta1.ResourceSliceSpec.sharedCounters',
  'resource.k8s.io/v1beta2.ResourceSliceSpec.devices',
  'resource.k8s.io/v1beta2.ResourceSliceSpec.sharedCounters',
]);

function fieldReader(field: ObjectShape['fields'][number], index: number, owner: string): FieldReader {
  const { shape, pointer, omitempty, name } = field;
  const keepsEmpty = keptEmpty.has(`${owner}.${name}`) || name === 'managedFields';
  let reader: Reader | undefined;
  return {
    name,
    index,
    // Most fields are absent from most objects, so their readers are made late.
    read: (value, state) => (reader ??= readerOf(shape))(value, state),
    dropsZero: omitempty && !pointer && !isStruct(shape) && !keepsEmpty,
    fill: pointer || (omitempty && !isStruct(shape)) ? undefined : (state) => zeroOf(shape, state),
  };
}

/** Go structs, which `omitempty` never leaves out. */
export function isStruct(shape: Shape): boolean {
  return !noStructs.has(shape.type);
}
const noStructs: ReadonlySet<string> = new Set(
  'string bool int32 int64 uint32 uint64 float32 float64 bytes list map any fieldsV1'.split(' '),
);

/** Go's zero value in its JSON form; undefined where JSON has only null for it. */
function zeroOf(shape: Shape, state: DecodeState): unknown {
  switch (shape.type) {
    case 'object':
      return specialFormOf(shape.name) ? undefined : readerOf(shape)({}, state);
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'list':
      return absentList();
    case 'map':
      return {};
    case 'time':
    case 'microtime':
    case 'rawExtension':
    case 'fieldsV1':
    case 'any':
      return undefined;
    default:
      return 0;
  }
}

function listReader(items: Shape, goType: string): Reader {
  return (value, state) => {
    if (!Array.isArray(value)) throw DecodeError.mismatch(value, goType);
    if (isAbsentList(value)) return absentList();
    if (++state.depth > nestingMax) throw tooDeep();
    const read = readerOf(items);
    const list: unknown[] = state.fresh ? value : [];
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      const result = element(item, items, read, state);
      if (list !== value || result !== item) list[index] = result;
    }
    state.depth--;
    return list;
  };
}

function mapReader(values: Shape, goType: string): Reader {
  return (value, state) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw DecodeError.mismatch(value, goType);
    if (++state.depth > nestingMax) throw tooDeep();
    const read = readerOf(values);
    const source = value as Target;
    const map: Target = state.fresh ? source : {};
    for (const key in source) {
      const item = source[key];
      if (item === undefined) continue;
      state.keys++;
      const result = element(item, values, read, state);
      if (map !== source || result !== item) setOwn(map, key, result);
    }
    state.depth--;
    return map;
  };
}

function element(item: unknown, shape: Shape, read: Reader, state: DecodeState): unknown {
  const isNull = item === null || item === undefined;
  const result = isNull ? zeroOf(shape, state) : read(item, state);
  return result === undefined ? null : result;
}
