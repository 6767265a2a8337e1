import type { Field, ListShape, MapShape, ObjectShape, Shape } from './shape.ts';

/** Shapes for this package's tests, made by hand; the real ones are in the api package. */

type FieldOptions = Partial<Omit<Field, 'name' | 'shape'>>;

const text: Shape = { type: 'string' };
const integer: Shape = { type: 'int32' };
export const any: Shape = { type: 'any' };

function field(name: string, shape: Shape, options: FieldOptions = {}): Field {
  return {
    name,
    shape,
    proto: 0,
    pointer: false,
    omitempty: true,
    required: false,
    enum: undefined,
    default: undefined,
    patchStrategy: '',
    patchMergeKey: '',
    featureGates: [],
    markers: [],
    ...options,
  };
}

function object(name: string, fields: readonly Field[], atomic = false): ObjectShape {
  const byName = new Map(fields.map((each) => [each.name, each]));
  return { type: 'object', name, fields, byName, embedded: [], atomic };
}

function list(items: Shape, listType: ListShape['listType'] = 'atomic', ...keys: string[]): ListShape {
  return { type: 'list', items, listType, keys };
}

function map(values: Shape, atomic = false): MapShape {
  return { type: 'map', values, atomic };
}

const metadata = object('test.Meta', [
  field('name', text),
  field('labels', map(text)),
  field('finalizers', list(text, 'set'), { patchStrategy: 'merge' }),
]);

const port = object('test.Port', [
  field('port', integer, { omitempty: false }),
  field('protocol', text, { default: 'TCP' }),
]);

const container = object('test.Container', [
  field('name', text, { omitempty: false }),
  field('image', text),
  field('args', list(text)),
  field('ports', list(port, 'map', 'port', 'protocol'), { patchStrategy: 'merge', patchMergeKey: 'port' }),
  field('resources', object('test.Resources', [field('limits', map(text))])),
]);

const volume = object('test.Volume', [
  field('name', text, { omitempty: false }),
  field('emptyDir', object('test.EmptyDir', []), { pointer: true }),
  field('hostPath', object('test.HostPath', [field('path', text)]), { pointer: true }),
]);

const spec = object('test.Spec', [
  field('replicas', integer, { pointer: true }),
  field('selector', map(text, true)),
  field('containers', list(container, 'map', 'name'), {
    omitempty: false,
    patchStrategy: 'merge',
    patchMergeKey: 'name',
  }),
  field('volumes', list(volume, 'map', 'name'), { patchStrategy: 'merge,retainKeys', patchMergeKey: 'name' }),
]);

/** A kind with one of each: maps, atomics, sets, lists by one key and by two. */
export const thing = object('test.Thing', [
  field('apiVersion', text),
  field('kind', text),
  field('metadata', metadata),
  field('spec', spec),
  field('data', map(text)),
]);
