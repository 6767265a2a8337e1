/** Valid objects of every kind: recorded ones, with changes that were recorded as valid, and more made from the facts. */
import { scheme, type ResourceInfo } from '@kubernode/api';
import { deepClone, type Field, type ObjectShape, type Random } from '@kubernode/machinery';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Plain = Record<string, unknown>;

interface Change {
  readonly op: 'create' | 'update' | 'status';
  /** A JSON pointer. */
  readonly path: string;
  readonly value?: unknown;
  readonly remove?: boolean;
  readonly code: number;
}

/** A valid object, and what was recorded of changing it. */
export interface Sample {
  readonly info: ResourceInfo;
  readonly base: Plain;
  readonly accepted: readonly Change[];
  readonly refused: readonly Change[];
}

const folder = join(import.meta.dirname, '../recordings/objects');

export function readSamples(): Sample[] {
  return readdirSync(folder).flatMap((file) => {
    const [first = '', ...rest] = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n');
    const { base } = JSON.parse(first) as { base: { apiVersion: string; kind: string } & Plain };
    const info = scheme.byKind(base.apiVersion, base.kind);
    if (!info) return [];
    const changes = rest.map((line) => JSON.parse(line) as Change).filter(({ path }) => path !== '/apiVersion');
    const accepted = changes.filter(({ op, code }) => op === 'create' && code < 300);
    return [{ info, base, accepted, refused: changes.filter(({ code }) => code >= 400) }];
  });
}

export const pick = <T>(values: readonly T[], random: Random): T => values[Math.floor(random() * values.length)] as T;

/** A valid object, as far as can be foreseen: changes that are valid alone need not be so together. */
export function validObject({ info, base, accepted }: Sample, random: Random): Plain {
  const object = deepClone(base) as Plain;
  const count = Math.floor(random() * 4);
  for (let index = 0; index < count && accepted.length > 0; index++) change(object, pick(accepted, random));
  for (let index = 0; index < 3; index++) addField(object, info.shape, random);
  return object;
}

/** A refused change, or something hostile in a random place. */
export function invalidObject({ base, refused }: Sample, random: Random): Plain {
  const object = deepClone(base) as Plain;
  if (refused.length > 0) change(object, pick(refused, random));
  return object;
}

function change(object: Plain, { path, value, remove }: Change): void {
  const names = path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop() ?? '';
  let at: unknown = object;
  for (const name of names) {
    if (typeof at !== 'object' || at === null) return;
    at = (at as Plain)[name] ??= {};
  }
  if (typeof at !== 'object' || at === null) return;
  if (remove) delete (at as Plain)[last];
  else (at as Plain)[last] = deepClone(value);
}

/** Fields that are not the client's to set, or whose values depend on others. */
const others = new Set(['status', 'managedFields', 'ownerReferences', 'generateName', 'namespace', 'finalizers']);

/** Sets one optional field somewhere to a value that fits the facts. */
function addField(object: Plain, root: ObjectShape, random: Random): void {
  let at = object;
  let shape = root;
  for (let depth = 0; depth < 6; depth++) {
    const field = pick(shape.fields, random);
    if (!field || others.has(field.name)) return;
    const held = at[field.name];
    if (field.shape.type === 'object' && typeof held === 'object' && held !== null) {
      at = held as Plain;
      ({ shape } = field as { shape: ObjectShape });
      continue;
    }
    if (field.shape.type === 'list' && field.shape.items.type === 'object' && Array.isArray(held) && held.length > 0) {
      at = pick(held as Plain[], random);
      shape = field.shape.items;
      continue;
    }
    const value = held === undefined ? valueOf(field, random) : undefined;
    if (value !== undefined) at[field.name] = value;
    return;
  }
}

function valueOf({ shape, enum: choices, default: preset }: Field, random: Random): unknown {
  if (choices) return pick(choices, random);
  if (preset !== undefined && random() < 0.5) return preset;
  switch (shape.type) {
    case 'string':
      return pick(['a', 'web', 'example.com', 'kubernetes.io/a', '10.0.0.1', ''], random);
    case 'bool':
      return random() < 0.5;
    case 'int32':
    case 'int64':
      return pick([0, 1, 2, 30, 1000, 8080], random);
    case 'quantity':
      return pick(['1', '100m', '1Gi', '0'], random);
    case 'intOrString':
      return pick([80, 'http', '25%'], random);
    case 'map':
      return shape.values.type === 'string' ? { app: 'a', 'example.com/b': '' } : {};
    case 'list':
      return [];
    case 'object':
      return {};
    case 'time':
      return '2026-01-01T00:00:00Z';
    default:
      return undefined;
  }
}

/** Without the fields that a refusal names; undefined where it names none that can be left out. */
export function withoutCauses(object: Plain, causes: readonly { readonly field?: string }[]): Plain | undefined {
  const repaired = deepClone(object) as Plain;
  let isChanged = false;
  for (const { field = '' } of causes) {
    const names = field.split(/[.[\]]+/).filter((name) => name !== '');
    for (; names.length > 1 && !isChanged; names.pop()) isChanged = remove(repaired, names);
  }
  return isChanged ? repaired : undefined;
}

function remove(object: Plain, names: readonly string[]): boolean {
  let at: unknown = object;
  for (const name of names.slice(0, -1)) at = (at as Plain | undefined)?.[name];
  const last = names.at(-1) ?? '';
  if (typeof at !== 'object' || at === null || !Object.hasOwn(at, last)) return false;
  if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete (at as Plain)[last];
  return true;
}
