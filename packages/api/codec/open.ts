import type { ObjectShape, Shape } from '@kubernode/machinery';
import { DecodeError } from './decode-error.ts';
import type { Writer } from './encode.ts';
import { nestingMax, readAny, setOwn, tooDeep, type Reader } from './reader.ts';

/** Whether fields that the shape does not name are kept: so it is with custom resources, whose types have no name. */
export const isOpen = (shape: Shape): boolean => shape.type === 'object' && shape.name === '';

/** Reads the fields that the shape names as it says; all others are kept as they are. */
export function openReader(shape: ObjectShape, readerOf: (shape: Shape) => Reader): Reader {
  return (value, state) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw DecodeError.mismatch(value, 'map[string]interface {}');
    }
    if (++state.depth > nestingMax) throw tooDeep();
    const source = value as Readonly<Record<string, unknown>>;
    const object: Record<string, unknown> = {};
    for (const { name, shape: inner, pointer } of shape.fields) {
      const raw = source[name];
      if (raw !== undefined) state.keys++;
      if (raw !== undefined && raw !== null) object[name] = readerOf(inner)(raw, state);
      else if (!pointer) object[name] = readerOf(inner)({}, state);
    }
    for (const key of Object.keys(source)) {
      if (shape.byName.has(key) || source[key] === undefined) continue;
      state.keys++;
      setOwn(object, key, readAny(source[key], state));
    }
    state.depth--;
    return object;
  };
}

/** Writes the fields that the shape names first, then all others in their own order. */
export function openWriter(shape: ObjectShape, writerOf: (shape: Shape) => Writer): Writer {
  return (value) => {
    const source = (value ?? {}) as Readonly<Record<string, unknown>>;
    const parts: string[] = [];
    for (const { name, shape: inner } of shape.fields) {
      const item = source[name];
      if (item !== undefined && item !== null) parts.push(`${JSON.stringify(name)}:${writerOf(inner)(item)}`);
    }
    for (const key of Object.keys(source)) {
      const item = source[key];
      if (!shape.byName.has(key) && item !== undefined) parts.push(`${JSON.stringify(key)}:${JSON.stringify(item)}`);
    }
    return `{${parts.join(',')}}`;
  };
}
