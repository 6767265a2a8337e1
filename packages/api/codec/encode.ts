import type { Field, ObjectShape, Shape } from '@kubernode/machinery';
import { isStruct } from './decode.ts';
import { isOpen, openWriter } from './open.ts';
import { schemaShape, specialFormOf } from './special-forms.ts';

/** A value of the shape → JSON text. */
export type Writer = (value: unknown) => string;

interface FieldWriter {
  readonly name: string;
  /** `"name":` */
  readonly prefix: string;
  readonly write: Writer;
  readonly dropsZero: boolean;
  /** Printed for an absent value; '' prints nothing. */
  readonly absent: string;
  /** Go's nil list prints as null, and storage has no empty one: only lists of objects are printed empty. */
  readonly emptyIsNull: boolean;
}

const writers = new WeakMap<Shape, Writer>();

/** The writer of a shape, made once. */
export function writerOf(shape: Shape): Writer {
  let writer = writers.get(shape);
  if (!writer) {
    writer = makeWriter(shape);
    writers.set(shape, writer);
  }
  return writer;
}

function makeWriter(shape: Shape): Writer {
  switch (shape.type) {
    case 'object':
      return specialOrObjectWriter(shape);
    case 'list':
      return (value) => writeList(value, writerOf(shape.items));
    case 'map':
      return (value) => writeMap(value, writerOf(shape.values));
    case 'rawExtension':
    case 'fieldsV1':
    case 'any':
      return writeAny;
    default:
      return writeScalar;
  }
}

function specialOrObjectWriter(shape: ObjectShape): Writer {
  if (isOpen(shape)) return openWriter(shape, writerOf);
  const form = specialFormOf(shape.name);
  if (!form) return objectWriter(shape);
  return form === 'any' ? writeAny : writeSpecial;
}

function objectWriter(shape: ObjectShape): Writer {
  let fields: readonly FieldWriter[] | undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return value === undefined ? '{}' : 'null';
    fields ??= shape.fields.map((field) => fieldWriter(field, shape));
    const source = value as Readonly<Record<string, unknown>>;
    let text = '{';
    for (const field of fields) {
      const item = source[field.name];
      const printed = item === undefined || item === null ? field.absent : present(item, field);
      if (printed !== '') text += text === '{' ? field.prefix + printed : `,${field.prefix}${printed}`;
    }
    return `${text}}`;
  };
}

function present(item: unknown, field: FieldWriter): string {
  if (typeof item === 'object') {
    if ((field.dropsZero || field.emptyIsNull) && isEmpty(item as object)) return field.dropsZero ? '' : 'null';
  } else if (field.dropsZero && (item === '' || item === 0 || item === false)) return '';
  return field.write(item);
}

function fieldWriter(field: Field, owner: ObjectShape): FieldWriter {
  const { shape, name, omitempty, pointer } = field;
  const isContainer = shape.type === 'list' || shape.type === 'map';
  const isLeftOut = omitempty && (pointer || !isStruct(shape) || isOmitZero(owner, name));
  return {
    name,
    prefix: `${JSON.stringify(name)}:`,
    write: (value) => writerOf(shape)(value),
    dropsZero: omitempty && !pointer && !isStruct(shape),
    absent: isLeftOut ? '' : pointer || isContainer ? absentContainer(name) : zeroText(shape),
    emptyIsNull: isContainer && !pointer && !omitempty && name !== 'items',
  };
}

/** `omitzero` in the Go types; no other struct is left out when it is zero. */
const isOmitZero = (owner: ObjectShape, name: string) =>
  name === 'creationTimestamp' && owner.name === 'meta.k8s.io/v1.ObjectMeta';

const absentContainer = (name: string) => (name === 'items' ? '[]' : 'null');

function zeroText(shape: Shape): string {
  switch (shape.type) {
    case 'object':
      return specialFormOf(shape.name) ? 'null' : writerOf(shape)({});
    case 'string':
      return '""';
    case 'bool':
      return 'false';
    case 'quantity':
      return '"0"';
    case 'duration':
      return '"0s"';
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float32':
    case 'float64':
    case 'intOrString':
      return '0';
    default:
      return 'null';
  }
}

function isEmpty(value: object): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

function writeList(value: unknown, write: Writer): string {
  if (!Array.isArray(value)) return 'null';
  if (value.length === 0) return '[]';
  let text = `[${write(value[0])}`;
  for (let index = 1; index < value.length; index++) text += `,${write(value[index])}`;
  return `${text}]`;
}

function writeMap(value: unknown, write: Writer): string {
  if (typeof value !== 'object' || value === null) return 'null';
  const keys = Object.keys(value);
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index - 1] as string) > (keys[index] as string)) {
      keys.sort();
      break;
    }
  }
  let text = '{';
  for (const key of keys) {
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined) text += `${text === '{' ? '' : ','}${writeString(key)}:${write(item)}`;
  }
  return `${text}}`;
}

/** Characters that JSON escapes, with a few harmless neighbours. */
const needsEscape = /["\\\ud800-\udfff]|[^ -\uffff]/;

function writeString(value: string): string {
  return needsEscape.test(value) ? JSON.stringify(value) : `"${value}"`;
}

function writeScalar(value: unknown): string {
  if (typeof value === 'string') return writeString(value);
  return value === undefined ? 'null' : JSON.stringify(value);
}

const writeAny: Writer = (value) => (value === undefined ? 'null' : JSON.stringify(value));

/** A value of several forms: strings and booleans as they are, objects as schemas. */
const writeSpecial: Writer = (value) => {
  const writeSchema = writerOf(schemaShape());
  const isSchema = (item: unknown) => typeof item === 'object' && item !== null;
  if (Array.isArray(value)) return writeList(value, (item) => (isSchema(item) ? writeSchema(item) : writeAny(item)));
  return isSchema(value) ? writeSchema(value) : writeAny(value);
};
