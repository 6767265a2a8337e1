import type { Field, ObjectShape, Shape } from '@kubernode/machinery';
import type { FieldCause } from '../../status-error.ts';
import { join } from '../rule.ts';
import { deepEqual } from '@kubernode/machinery';
import { type Check, type Form, formOf, formOfShape, isSet, nothing, type Operation, type Place } from './check.ts';
import { eachItem, identityOf, uniqueCheck, updateCheck } from './lists.ts';
import { type Marker, markersOf } from './marker.ts';
import { typeChecks } from './unions.ts';
import { endsChecks, valueCheck } from './values.ts';

type Fields = Readonly<Record<string, unknown>>;

const compiled = new Map<string, Check | undefined>();

/** The check of all that the markers say of a type and of what is in it; undefined if they say nothing. */
export function checkOf(shape: ObjectShape): Check | undefined {
  const { name } = shape;
  if (!compiled.has(name)) {
    // A type that holds itself (a group of groups) is looked up again when its turn comes.
    compiled.set(name, (place, operation) => compiled.get(name)?.(place, operation) ?? nothing);
    compiled.set(name, compile(shape));
  }
  return compiled.get(name);
}

function compile(shape: ObjectShape): Check | undefined {
  const markers = markersOf(shape.name);
  const checks = [
    ...typeChecks(shape, markers),
    ...shape.fields.flatMap((field) => fieldCheck(field, markers.get(field.name) ?? []) ?? []),
  ];
  if (checks.length === 0) return undefined;
  return (place, operation) => {
    if (typeof place.value !== 'object' || place.value === null) return nothing;
    return allFound(checks, place, operation);
  };
}

function allFound(checks: readonly Check[], place: Place, operation: Operation): readonly FieldCause[] {
  let found = nothing;
  for (const check of checks) found = join(found, check(place, operation));
  return found;
}

/** The check of one field, handed the object that has it. What did not change is not judged again. */
function fieldCheck(field: Field, markers: readonly Marker[]): Check | undefined {
  const check = placeCheck(field.shape, markers, formOf(field));
  if (!check) return undefined;
  const { name } = field;
  return ({ value: object, old: oldObject, path, isCorrelated }, operation) => {
    const value = (object as Fields)[name];
    const old = (oldObject as Fields | undefined)?.[name];
    if (operation.isUpdate && isCorrelated && deepEqual(value, old)) return nothing;
    return check({ value, old, path: path ? `${path}.${name}` : name, isCorrelated }, operation);
  };
}

function placeCheck(shape: Shape, markers: readonly Marker[], form: Form): Check | undefined {
  const identity = identityOf(markers);
  const checkOfMarker = (marker: Marker): Check | undefined => {
    if (marker.name === 'optional') return ({ value }) => (isSet(value, form) ? nothing : ended);
    if (marker.name === 'update') return updateCheck(marker.argument, form, identity);
    if (marker.name === 'ifEnabled' || marker.name === 'ifDisabled') return gated(marker, checkOfMarker);
    return valueCheck(marker, form);
  };
  const of = (list: readonly Marker[]) => list.flatMap((marker) => checkOfMarker(marker) ?? []);
  const first = of(markers.filter(({ name }) => endsChecks.has(name)));
  const inner = innerCheck(shape, markers, form);
  const own = of(markers.filter(({ name }) => !endsChecks.has(name)));
  if (identity && !markers.some(({ name }) => name === 'customUnique')) own.push(uniqueCheck(identity));
  const rest = inner ? [...own, inner] : own;
  if (first.length + rest.length === 0) return undefined;
  return (place, operation) => {
    const found = allFound(first, place, operation);
    if (found.length > 0) return found.filter((cause) => cause !== end);
    if (place.value === undefined && form !== 'value') return nothing;
    return allFound(rest, place, operation);
  };
}

/** Stands for "nothing is wrong, and nothing more is to be looked at". */
const end: FieldCause = { reason: 'FieldValueRequired', message: '', field: '' };
const ended: readonly FieldCause[] = [end];

/** A marker that holds while a feature is on, or off. */
function gated({ name, argument, inner }: Marker, checkOfMarker: (marker: Marker) => Check | undefined) {
  const check = inner && checkOfMarker(inner);
  if (!check) return undefined;
  const wanted = name === 'ifEnabled';
  return (place: Place, operation: Operation) =>
    operation.isEnabled(argument) === wanted ? check(place, operation) : nothing;
}

/** What is inside: fields, items, keys, values. */
function innerCheck(shape: Shape, markers: readonly Marker[], form: Form): Check | undefined {
  if (markers.some(({ name }) => name === 'opaqueType')) return undefined;
  if (shape.type === 'object') return form === 'pointer' ? withoutMissing(checkOf(shape)) : checkOf(shape);
  const inner = (name: string) => markers.flatMap((marker) => (marker.name === name && marker.inner) || []);
  if (shape.type === 'list') {
    const form = formOfShape(shape.items);
    const check = placeCheck(shape.items, inner('eachVal'), form);
    return check && eachItem(check, identityOf(markers));
  }
  if (shape.type !== 'map') return undefined;
  const ofKeys = placeCheck({ type: 'string' }, inner('eachKey'), 'value');
  const ofValues = placeCheck(shape.values, inner('eachVal'), formOfShape(shape.values));
  return ofKeys || ofValues ? eachEntry(ofKeys, ofValues) : undefined;
}

/** Behind a pointer that was nil there was nothing that could stay as it was. */
const withoutMissing = (check: Check | undefined): Check | undefined =>
  check &&
  ((place, operation) =>
    check({ ...place, isCorrelated: place.isCorrelated && place.old !== undefined && place.old !== null }, operation));

/** Keys are named by the map's own path, values by theirs. */
function eachEntry(ofKeys: Check | undefined, ofValues: Check | undefined): Check {
  return ({ value: map, old: oldMap, path }, operation) =>
    Object.entries(map as Fields).flatMap(([key, value]) => {
      const isCorrelated = oldMap !== undefined && oldMap !== null && Object.hasOwn(oldMap, key);
      const old = isCorrelated ? (oldMap as Fields)[key] : undefined;
      const isKnown = operation.isUpdate && isCorrelated;
      const found = isKnown
        ? nothing
        : (ofKeys?.({ value: key, old: undefined, path, isCorrelated }, operation) ?? nothing);
      if (!ofValues || (isKnown && deepEqual(value, old))) return found;
      return [...found, ...ofValues({ value, old, path: `${path}[${key}]`, isCorrelated }, operation)];
    });
}
