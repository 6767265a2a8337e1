import { readFileSync } from 'node:fs';
import type {
  AnyShape,
  Field,
  ListShape,
  MapShape,
  ObjectShape,
  ScalarShape,
  ScalarType,
  Shape,
} from '@kubernode/machinery';
import { atomicTypes } from './atomic-types.ts';

/** `[name, type, proto, flags, extras?]`; see `generate/shapes-table.ts`. */
type Row = readonly [name: string, type: string, proto: number, flags: string, extras?: Extras];

interface Extras {
  readonly listType?: string;
  readonly keys?: readonly string[];
  readonly mapType?: string;
  readonly enum?: readonly string[];
  readonly itemEnum?: readonly string[];
  readonly default?: unknown;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly featureGates?: readonly string[];
  readonly markers?: readonly string[];
}

const rowTexts = readTable();
const shapes = new Map<string, ObjectShape>();
const anyTypes = new Set(['rawExtension', 'fieldsV1', 'any']);

/** The shape of a type of the facts, `core/v1.PodSpec`; made at first use, then shared. Throws on an unknown name. */
export function shapeOf(name: string): ObjectShape {
  const known = shapes.get(name);
  if (known) return known;
  if (!rowTexts.has(name)) throw new Error(`shapeOf: no type "${name}" in the facts`);
  const shape = new LazyObjectShape(name);
  shapes.set(name, shape);
  return shape;
}

/**
 * The shape of a body by what it says of itself: `findShape('apps/v1', 'Deployment')`. Status, DeleteOptions, Table
 * and the like belong to every group. Undefined where the facts have no such kind.
 */
export function findShape(apiVersion: string, kind: string): ObjectShape | undefined {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`;
  const names = [`${groupVersion}.${kind}`, `meta.k8s.io/v1.${kind}`];
  const name = names.find((candidate) => rowTexts.has(candidate));
  return name === undefined ? undefined : shapeOf(name);
}

/** The shape of a kind's objects. Throws where the facts have no such kind. */
export function shapeOfKind(kind: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}): ObjectShape {
  return shapeOf(`${kind.group || 'core'}/${kind.version}.${kind.kind}`);
}

/** Whether a type of the facts is a kind of its own, with an apiVersion; a reference only has fields of these names. */
export function hasTypeMeta(name: string): boolean {
  return rowsOf(name).some(([, type, , flags]) => type === 'meta.k8s.io/v1.TypeMeta' && flags.includes('i'));
}

/**
 * The table has a line for each type. Only those are parsed that are asked for, a part of all in most servers: the
 * table is read as a file, not imported.
 */
function readTable(): ReadonlyMap<string, string> {
  const text = readFileSync(new URL(import.meta.resolve('@kubernode/api/generated/shapes.json')), 'utf8');
  const lines = text.matchAll(/^"([^"]+)":(.*\]),?$/gm);
  return new Map(lines.map(([, name = '', rows = '']) => [name, rows]));
}

function rowsOf(name: string): readonly Row[] {
  return JSON.parse(rowTexts.get(name) ?? '[]') as readonly Row[];
}

/** Types refer to each other in circles (JSONSchemaProps), so a type's fields are made when first asked for. */
class LazyObjectShape implements ObjectShape {
  readonly type = 'object';
  readonly name: string;
  #fields: readonly Field[] | undefined;
  #byName: ReadonlyMap<string, Field> | undefined;
  #embedded: ObjectShape['embedded'] | undefined;

  readonly atomic: boolean;

  constructor(name: string, atomic = atomicTypes.has(name)) {
    this.name = name;
    this.atomic = atomic;
  }

  get fields(): readonly Field[] {
    this.#fields ??= rowsOf(this.name).flatMap(([name, type, proto, flags, extras]) => {
      if (!flags.includes('i')) return [fieldOf(name, type, proto, flags, extras)];
      const inlined = shapeOf(type).fields;
      return proto === 0 && type !== 'meta.k8s.io/v1.TypeMeta'
        ? inlined
        : inlined.map((field) => ({ ...field, proto: 0 }));
    });
    return this.#fields;
  }

  get byName(): ReadonlyMap<string, Field> {
    this.#byName ??= new Map(this.fields.map((field) => [field.name, field]));
    return this.#byName;
  }

  get embedded(): ObjectShape['embedded'] {
    this.#embedded ??= rowsOf(this.name)
      .filter(([, , proto, flags]) => flags.includes('i') && proto > 0)
      .map(([, type, proto]) => ({ proto, shape: shapeOf(type) }));
    return this.#embedded;
  }
}

function fieldOf(name: string, type: string, proto: number, flags: string, extras: Extras = {}): Field {
  let shape: Shape | undefined;
  return {
    name,
    proto,
    get shape() {
      shape ??= shapeFrom(type, extras);
      return shape;
    },
    pointer: flags.includes('p'),
    omitempty: flags.includes('o'),
    required: flags.includes('r'),
    mayBeAbsent: flags.includes('a'),
    listTypeDeclared: extras.listType !== undefined,
    enum: extras.enum,
    itemEnum: extras.itemEnum,
    default: extras.default,
    patchStrategy: extras.patchStrategy ?? '',
    patchMergeKey: extras.patchMergeKey ?? '',
    featureGates: extras.featureGates ?? [],
    markers: extras.markers ?? [],
  };
}

function shapeFrom(text: string, extras: Extras): Shape {
  if (text.startsWith('[]')) return listShape(text.slice(2), extras);
  if (text.startsWith('{}')) return mapShape(text.slice(2), extras);
  if (text.includes('.')) return usedAs(shapeOf(text), extras.mapType);
  if (anyTypes.has(text)) return { type: text } as AnyShape;
  return { type: text as ScalarType } satisfies ScalarShape;
}

function listShape(items: string, extras: Extras): ListShape {
  const listType = extras.listType === 'set' || extras.listType === 'map' ? extras.listType : 'atomic';
  const wrapped = items.endsWith('!');
  return {
    type: 'list',
    items: shapeFrom(wrapped ? items.slice(0, -1) : items, {}),
    listType,
    keys: extras.keys ?? [],
    wrapped,
  };
}

function mapShape(values: string, extras: Extras): MapShape {
  return { type: 'map', values: shapeFrom(values, {}), atomic: extras.mapType === 'atomic' };
}

/** A field may say otherwise than its type's declaration: `atomic`, or `granular` where the type is atomic. */
function usedAs(shape: ObjectShape, mapType: string | undefined): ObjectShape {
  const atomic = mapType === undefined ? shape.atomic : mapType === 'atomic';
  if (atomic === shape.atomic) return shape;
  return new LazyObjectShape(shape.name, atomic);
}
