import type { Field, ObjectShape, Shape } from '@kubernode/machinery';
import { dns1123Label, dns1123Subdomain, isUid, qualifiedName } from '@kubernode/machinery';
import type { FieldCause } from '../status-error.ts';
import { invalid, notSupported, required, tooMany } from './cause.ts';
import { isEmpty, sameValue } from './values.ts';

type Check = (value: unknown, path: string, old: unknown) => readonly FieldCause[];

/**
 * What the facts themselves say is wrong: the markers of declarative validation (`+k8s:required`, `+k8s:maximum=…`), at
 * every depth. Only what upstream enforces by them is checked here; the rest is in the kinds' own rules.
 */
export function validateShape(object: unknown, shape: ObjectShape, old?: unknown): readonly FieldCause[] {
  return checkerOf(shape)?.(object, '', old) ?? [];
}

/** undefined: nothing below has a marker. */
const checkers = new Map<Shape, Check | undefined>();

function checkerOf(shape: Shape): Check | undefined {
  if (shape.type === 'list') {
    const check = checkerOf(shape.items);
    return (
      check &&
      ((list, path, old) =>
        (list as readonly unknown[]).flatMap((item, index) => check(item, `${path}[${index}]`, itemAt(old, index))))
    );
  }
  if (shape.type === 'map') {
    const check = checkerOf(shape.values);
    return (
      check &&
      ((map, path, old) =>
        Object.entries(map as object).flatMap(([key, value]) =>
          check(value, `${path}[${key}]`, (old as Record<string, unknown> | undefined)?.[key]),
        ))
    );
  }
  if (shape.type !== 'object') return undefined;
  if (!checkers.has(shape)) {
    checkers.set(shape, undefined);
    checkers.set(shape, objectChecker(shape));
  }
  return checkers.get(shape);
}

function objectChecker(shape: ObjectShape): Check | undefined {
  const checks = shape.fields.flatMap((field) => {
    const check = fieldChecker(field);
    return check ? [{ name: field.name, check }] : [];
  });
  if (checks.length === 0) return undefined;
  return (object, path, old) => {
    if (typeof object !== 'object' || object === null) return [];
    return checks.flatMap(({ name, check }) =>
      check(
        (object as Record<string, unknown>)[name],
        path ? `${path}.${name}` : name,
        (old as Record<string, unknown> | undefined)?.[name],
      ),
    );
  };
}

function fieldChecker(field: Field): Check | undefined {
  const own = field.markers.flatMap((marker) => markerCheck(marker, field) ?? []);
  const inner = checkerOf(field.shape);
  if (own.length === 0) return inner && ((value, path, old) => (value === undefined ? [] : inner(value, path, old)));
  return (value, path, old) => {
    for (const check of own) {
      const found = check(value, path, old);
      if (found.length > 0) return found;
    }
    return value === undefined || !inner ? [] : inner(value, path, old);
  };
}

const formats: Readonly<Record<string, (value: string) => readonly string[]>> = {
  'k8s-short-name': dns1123Label,
  'k8s-long-name': dns1123Subdomain,
  'k8s-label-key': qualifiedName,
  'k8s-uuid': (value) => (isUid(value) ? [] : ['must be a lowercase UUID in 8-4-4-4-12 format']),
};

/** One marker as a check; undefined for those that say nothing to validate, or that are not enforced yet (alpha). */
function markerCheck(marker: string, field: Field): Check | undefined {
  const text = marker.replace(/^k8s:beta\(since: "[^"]*"\)=\+/, '').split(' ')[0] ?? '';
  const [, name = '', argument = ''] = /^k8s:(\w+)(?:=(.*))?$/.exec(text) ?? [];
  const limit = Number(argument);
  switch (name) {
    case 'required':
      return (value, path) => (isEmpty(value) || (value === 0 && !field.pointer) ? [required(path)] : []);
    case 'maxItems':
      return (value, path) =>
        Array.isArray(value) && value.length > limit ? [tooMany(path, value.length, limit)] : [];
    case 'minimum':
      return (value, path) =>
        typeof value === 'number' && value < limit
          ? [invalid(path, value, `must be greater than or equal to ${limit}`)]
          : [];
    case 'maximum':
      return (value, path) =>
        typeof value === 'number' && value > limit
          ? [invalid(path, value, `must be less than or equal to ${limit}`)]
          : [];
    case 'immutable':
      return (value, path, old) =>
        old === undefined || sameValue(value, old) ? [] : [invalid(path, value, 'field is immutable')];
    case 'enum':
      return enumCheck(field);
    case 'format':
      return formatCheck(formats[argument]);
    default:
      return undefined;
  }
}

function enumCheck({ enum: values }: Field): Check | undefined {
  return (
    values &&
    ((value, path) => (isEmpty(value) || values.includes(String(value)) ? [] : [notSupported(path, value, values)]))
  );
}

function formatCheck(validator: ((value: string) => readonly string[]) | undefined): Check | undefined {
  if (!validator) return undefined;
  return (value, path) =>
    isEmpty(value) ? [] : validator(String(value)).map((detail) => invalid(path, value, detail));
}

const itemAt = (list: unknown, index: number) => (Array.isArray(list) ? (list[index] as unknown) : undefined);
