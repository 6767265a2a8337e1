import type { ObjectShape } from '@kubernode/machinery';
import { invalid } from '../cause.ts';
import { deepEqual } from '@kubernode/machinery';
import { type Check, type Form, formOf, isSet, nothing } from './check.ts';
import type { Marker } from './marker.ts';
import { valueCheck } from './values.ts';

type Fields = Readonly<Record<string, unknown>>;
type Members = readonly (readonly [name: string, form: Form])[];

/** What the markers of fields say of the object that has them. */
export function typeChecks(shape: ObjectShape, markers: ReadonlyMap<string, readonly Marker[]>): readonly Check[] {
  const has = (name: string) => (field: { readonly name: string }) =>
    markers.get(field.name)?.some((marker) => marker.name === name) ?? false;
  const members = shape.fields.filter(has('unionMember')).map((field) => [field.name, formOf(field)] as const);
  const discriminator = shape.fields.find(has('modeDiscriminator'))?.name;
  const ofModes =
    discriminator === undefined
      ? []
      : shape.fields.filter(has('ifMode')).map((field) => {
          return modeCheck(discriminator, field.name, formOf(field), markers.get(field.name) ?? []);
        });
  return members.length > 0 ? [unionCheck(members), ...ofModes] : ofModes;
}

/** Exactly one is set. An update that sets the same ones as before is left alone. */
function unionCheck(members: Members): Check {
  const setOf = (object: unknown) =>
    members.filter(([name, form]) => isSet((object as Fields | undefined)?.[name], form)).map(([name]) => name);
  const all = members.map(([name]) => `\`${name}\``).join(', ');
  return ({ value, old, path, isCorrelated }, { isUpdate }) => {
    const names = setOf(value);
    if (names.length === 1 || (isUpdate && isCorrelated && deepEqual(names, setOf(old)))) return nothing;
    const at = path || '<nil>';
    if (names.length === 0) return [invalid(at, '', `must specify one of: ${all}`)];
    return [invalid(at, `{${names.join(', ')}}`, `must specify exactly one of: ${all}`)];
  };
}

/** A field that belongs to some values of another: there it keeps their marker, elsewhere it is forbidden. */
function modeCheck(discriminator: string, name: string, form: Form, markers: readonly Marker[]): Check {
  const byMode = new Map(
    markers.flatMap(({ name: marker, argument, inner }) =>
      marker === 'ifMode' && inner ? [[argument, valueCheck(inner, form)] as const] : [],
    ),
  );
  const elsewhere = valueCheck({ name: 'forbidden', argument: '' }, form);
  return ({ value: object, old: oldObject, path, isCorrelated }, operation) => {
    const [value, old] = [(object as Fields)[name], (oldObject as Fields | undefined)?.[name]];
    const mode = (object as Fields)[discriminator] ?? '';
    const oldMode = (oldObject as Fields | undefined)?.[discriminator] ?? '';
    if (operation.isUpdate && isCorrelated && mode === oldMode && deepEqual(value, old)) return nothing;
    const check = byMode.has(mode as string) ? byMode.get(mode as string) : elsewhere;
    return check?.({ value, old, path: path ? `${path}.${name}` : name, isCorrelated }, operation) ?? nothing;
  };
}
