import type { Field, ObjectShape, Shape } from '@kubernode/machinery';
import { isStruct } from './decode.ts';
import { isOpen, openWriter } from './open.ts';
import { schemaShape, specialFormOf } from './special-forms.ts';

/** A value of the shape → JSON text. */
export type Writer = (value: unknown) => string;

interface FieldWriter {
  readonly name: string;
  /** Its place in the order of the type. */
  readonly index: number;
  /** `{"name":`, where nothing is printed before it; else `,"name":`. */
  readonly opening: string;
  readonly further: string;
  readonly write: Writer;
  readonly dropsZero: boolean;
  /** Printed for an absent value; '' prints nothing. */
  readonly absent: string;
  /** Go's nil list prints as null, and storage has no empty one: only lists of objects are printed empty. */
  readonly emptyIsNull: boolean;
}

const writers = new WeakMap<Shape, Writer>();

/** The JSON of a value. */
export function writeJson(value: unknown, shape: Shape): string {
  // Whatever was being written when something failed is not any more.
  underWay = 0;
  return writerOf(shape)(value);
}

/** The writer of a shape, made once. */
function writerOf(shape: Shape): Writer {
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
      return containerWriter(shape.items, writeList);
    case 'map':
      return containerWriter(shape.values, writeMap);
    case 'fieldsV1':
      return writeFieldSet;
    case 'rawExtension':
    case 'any':
      return writeAny;
    default:
      return writeScalar;
  }
}

function containerWriter(inside: Shape, print: (value: unknown, write: Writer) => string): Writer {
  let write: Writer | undefined;
  return (value) => print(value, (write ??= writerOf(inside)));
}

function specialOrObjectWriter(shape: ObjectShape): Writer {
  if (isOpen(shape)) return openWriter(shape, writerOf);
  const form = specialFormOf(shape.name);
  if (!form) return objectWriter(shape);
  return form === 'any' ? writeAny : writeSpecial;
}

function objectWriter(shape: ObjectShape): Writer {
  let layout: WriterLayout | undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return value === undefined ? '{}' : 'null';
    layout ??= layoutOf(shape);
    return writeFields(value as Source, layout);
  };
}

type Source = Readonly<Record<string, unknown>>;

interface WriterLayout {
  readonly byName: ReadonlyMap<string, FieldWriter>;
  /** Those that are printed even where they are absent, in order. */
  readonly always: readonly FieldWriter[];
}

function layoutOf(shape: ObjectShape): WriterLayout {
  const fields = shape.fields.map((field, index) => fieldWriter(field, index, shape));
  return {
    byName: new Map(fields.map((field) => [field.name, field])),
    always: fields.filter(({ absent }) => absent !== ''),
  };
}

/**
 * The present fields of the objects that are being written, the innermost last: lists of their own would be a twelfth
 * of all the memory that the create of a pod asks for.
 */
const fieldsUnderWay: FieldWriter[] = [];
/** Their values, in step. */
const itemsUnderWay: unknown[] = [];
let underWay = 0;

function writeFields(source: Source, { byName, always }: WriterLayout): string {
  const first = underWay;
  findFields(source, byName);
  const end = underWay;
  let text = '';
  let next = 0;
  for (let at = first; at < end; at++) {
    const field = fieldsUnderWay[at]!;
    for (; next < always.length && always[next]!.index < field.index; next++) {
      text = added(text, always[next]!, undefined);
    }
    if (always[next] === field) next++;
    text = added(text, field, itemsUnderWay[at]);
    itemsUnderWay[at] = undefined;
  }
  for (; next < always.length; next++) text = added(text, always[next]!, undefined);
  underWay = first;
  return text === '' ? '{}' : `${text}}`;
}

/**
 * Those that are there, in the order of the type. Of most types most are absent, so they are not looked for; and what is
 * decoded is in order but for what defaults and admission added, so each finds its place in a step or two.
 */
function findFields(source: Source, byName: ReadonlyMap<string, FieldWriter>): void {
  const first = underWay;
  for (const key in source) {
    const item = source[key];
    const field = item === undefined || item === null ? undefined : byName.get(key);
    if (field === undefined) continue;
    let at = underWay++;
    for (; at > first && fieldsUnderWay[at - 1]!.index > field.index; at--) {
      fieldsUnderWay[at] = fieldsUnderWay[at - 1]!;
      itemsUnderWay[at] = itemsUnderWay[at - 1];
    }
    fieldsUnderWay[at] = field;
    itemsUnderWay[at] = item;
  }
}

function added(text: string, field: FieldWriter, item: unknown): string {
  const printed = item === undefined ? field.absent : present(item, field);
  if (printed === '') return text;
  return text === '' ? field.opening + printed : text + field.further + printed;
}

function present(item: unknown, field: FieldWriter): string {
  if (typeof item === 'object') {
    if ((field.dropsZero || field.emptyIsNull) && isEmpty(item as object)) return field.dropsZero ? '' : 'null';
  } else if (field.dropsZero && (item === '' || item === 0 || item === false)) return '';
  return field.write(item);
}

function fieldWriter(field: Field, index: number, owner: ObjectShape): FieldWriter {
  const { shape, name, omitempty, pointer } = field;
  const isContainer = shape.type === 'list' || shape.type === 'map';
  const isLeftOut = omitempty && (pointer || !isStruct(shape) || isOmitZero(owner, name));
  return {
    name,
    index,
    opening: `{${JSON.stringify(name)}:`,
    further: `,${JSON.stringify(name)}:`,
    write: isContainer || shape.type === 'object' ? lateWriter(shape) : makeWriter(shape),
    dropsZero: omitempty && !pointer && !isStruct(shape),
    absent: isLeftOut ? '' : pointer || isContainer ? absentContainer(name) : zeroText(shape),
    emptyIsNull: isContainer && !pointer && !omitempty && name !== 'items',
  };
}

/** Made when it is first needed: types contain themselves. */
function lateWriter(shape: Shape): Writer {
  let writer: Writer | undefined;
  return (value) => (writer ??= writerOf(shape))(value);
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

/** Beyond, the engine's own printing is faster. */
const shortTextMax = 24;

function writeString(value: string): string {
  return value.length > shortTextMax || needsEscape.test(value) ? JSON.stringify(value) : `"${value}"`;
}

function writeScalar(value: unknown): string {
  if (typeof value === 'string') return writeString(value);
  return value === undefined ? 'null' : JSON.stringify(value);
}

const writeAny: Writer = (value) => (value === undefined ? 'null' : JSON.stringify(value));

const fieldSetTexts = new WeakMap<object, string>();

/** Sets of owned fields that are frozen are those of many objects, and of all versions of one. */
const writeFieldSet: Writer = (value) => {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return writeAny(value);
  let text = fieldSetTexts.get(value);
  if (text === undefined) fieldSetTexts.set(value, (text = JSON.stringify(value)));
  return text;
};

/** A value of several forms: strings and booleans as they are, objects as schemas. */
const writeSpecial: Writer = (value) => {
  const writeSchema = writerOf(schemaShape());
  const isSchema = (item: unknown) => typeof item === 'object' && item !== null;
  if (Array.isArray(value)) return writeList(value, (item) => (isSchema(item) ? writeSchema(item) : writeAny(item)));
  return isSchema(value) ? writeSchema(value) : writeAny(value);
};
