import { absentList, isAbsentList, type ObjectShape, type Shape } from '@kubernode/machinery';
import { DecodeError } from './decode-error.ts';
import { goTypeOf, structNameOf } from './go-types.ts';
import { isOpen, openReader } from './open.ts';
import { readScalar } from './read-scalar.ts';
import type { DecodeState, Reader } from './reader.ts';
import { nestingMax, readAny, setOwn, tooDeep } from './reader.ts';
import { schemaShape, specialFormOf, specialReader } from './special-forms.ts';

interface FieldReader {
  readonly name: string;
  readonly read: Reader;
  /** A zero value is as good as an absent one. */
  readonly dropsZero: boolean;
  /** What stands in for an absent value; undefined: nothing. */
  readonly fill: ((state: DecodeState) => unknown) | undefined;
}

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
    case 'rawExtension':
    case 'fieldsV1':
    case 'any':
      return readAny;
    default:
      return readScalar[shape.type];
  }
}

function specialOrObjectReader(shape: ObjectShape): Reader {
  if (isOpen(shape)) return openReader(shape, readerOf);
  const form = specialFormOf(shape.name);
  return form ? specialReader(form, (value, state) => readerOf(schemaShape())(value, state)) : objectReader(shape);
}

/** Builds the object anew in the order of its shape, so that encoding it later is one pass. */
function objectReader(shape: ObjectShape): Reader {
  let fields: readonly FieldReader[] | undefined;
  const struct = structNameOf(shape.name);
  return (value, state) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw DecodeError.mismatch(value, goTypeOf(shape));
    }
    fields ??= shape.fields.map((field) => fieldReader(field, keptEmpty.has(`${shape.name}.${field.name}`)));
    const source = value as Readonly<Record<string, unknown>>;
    const object: Record<string, unknown> = {};
    if (++state.depth > nestingMax) throw tooDeep();
    let seen = 0;
    let index = 0;
    try {
      for (; index < fields.length; index++) {
        const field = fields[index] as FieldReader;
        const raw = source[field.name];
        if (raw !== undefined) seen++;
        const read = raw === undefined || raw === null ? field.fill?.(state) : field.read(raw, state);
        if (read !== undefined && !(field.dropsZero && isZero(read))) object[field.name] = read;
      }
    } catch (error) {
      if (error instanceof DecodeError) error.within(struct, fields[index]?.name ?? '');
      throw error;
    }
    if (!state.hasUnknown && seen !== Object.keys(source).length) state.hasUnknown = true;
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

function fieldReader(field: ObjectShape['fields'][number], keepsEmpty: boolean): FieldReader {
  const { shape, pointer, omitempty, name } = field;
  return {
    name,
    // Most fields are absent from most objects, so their readers are made late.
    read: (value, state) => readerOf(shape)(value, state),
    dropsZero: omitempty && !pointer && !isStruct(shape) && !keepsEmpty && name !== 'managedFields',
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

function isZero(value: unknown): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

function listReader(items: Shape, goType: string): Reader {
  return (value, state) => {
    if (!Array.isArray(value)) throw DecodeError.mismatch(value, goType);
    if (isAbsentList(value)) return absentList();
    if (++state.depth > nestingMax) throw tooDeep();
    const read = readerOf(items);
    const list = value.map((item: unknown) => element(item, items, read, state));
    state.depth--;
    return list;
  };
}

function mapReader(values: Shape, goType: string): Reader {
  return (value, state) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw DecodeError.mismatch(value, goType);
    if (++state.depth > nestingMax) throw tooDeep();
    const read = readerOf(values);
    const map: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[key];
      if (item === undefined) continue;
      setOwn(map, key, element(item, values, read, state));
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
