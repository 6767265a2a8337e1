import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findShape, shapeOf } from './shapes.ts';
import table from './generated/shapes.json' with { type: 'json' };

const fieldOf = (type: string, name: string) => shapeOf(type).byName.get(name);

test('shapeOf puts inlined fields in their place and remembers their own message', () => {
  const names = shapeOf('core/v1.Volume').fields.map((field) => field.name);
  assert.deepEqual(names.slice(0, 3), ['name', 'hostPath', 'emptyDir']);
  assert.equal(fieldOf('core/v1.Volume', 'emptyDir')?.proto, 0);
  assert.deepEqual(
    shapeOf('core/v1.Volume').embedded.map(({ proto, shape }) => [proto, shape.name]),
    [[2, 'core/v1.VolumeSource']],
  );
});

test('shapeOf makes each shape once, also of types that contain themselves', () => {
  const schema = shapeOf('apiextensions.k8s.io/v1.JSONSchemaProps');
  assert.equal(schema.byName.get('not')?.shape, schema);
});

test('shapeOf is atomic by declaration, unless the use says otherwise', () => {
  const atomic = (type: string, name: string) => {
    const shape = fieldOf(type, name)?.shape;
    return shape && 'atomic' in shape ? shape.atomic : undefined;
  };
  assert.equal(shapeOf('core/v1.ObjectReference').atomic, true);
  assert.equal(atomic('core/v1.PersistentVolumeSpec', 'claimRef'), false);
  assert.equal(atomic('core/v1.Event', 'involvedObject'), true);
  assert.equal(atomic('apps/v1.DeploymentSpec', 'selector'), true);
  assert.equal(atomic('core/v1.ServiceSpec', 'selector'), true);
  assert.equal(atomic('core/v1.PodSpec', 'nodeSelector'), true);
  assert.equal(atomic('meta.k8s.io/v1.ObjectMeta', 'labels'), false);
});

test('shapeOf knows how lists merge', () => {
  const ports = fieldOf('core/v1.Container', 'ports')?.shape;
  assert.ok(ports?.type === 'list');
  assert.deepEqual([ports.listType, ports.keys], ['map', ['containerPort', 'protocol']]);
  const finalizers = fieldOf('meta.k8s.io/v1.ObjectMeta', 'finalizers')?.shape;
  assert.equal(finalizers?.type === 'list' && finalizers.listType, 'set');
});

test('shapeOf refuses a name that the facts do not have', () => {
  assert.throws(() => shapeOf('core/v1.Nothing'), /shapeOf: no type "core\/v1.Nothing" in the facts/);
});

test('findShape finds kinds that belong to every group', () => {
  assert.equal(findShape('v1', 'Pod')?.name, 'core/v1.Pod');
  assert.equal(findShape('apps/v1', 'Deployment')?.name, 'apps/v1.Deployment');
  assert.equal(findShape('apps/v1', 'DeleteOptions')?.name, 'meta.k8s.io/v1.DeleteOptions');
  assert.equal(findShape('v1', 'Status')?.name, 'meta.k8s.io/v1.Status');
  assert.equal(findShape('v1', 'Nothing'), undefined);
});

test('shapeOf knows every type of the table, with its own fields', () => {
  for (const [name, rows] of Object.entries(table as unknown as Record<string, [string, string, number, string][]>)) {
    // Types of what is a number in JSON are never asked for their fields.
    if (rows.some(([, type, , flags]) => flags.includes('i') && !type.includes('.'))) continue;
    const own = rows.flatMap(([field, , , flags]) => (flags.includes('i') ? [] : [field]));
    const all = shapeOf(name).byName;
    assert.deepEqual(
      own.filter((field) => !all.has(field)),
      [],
      name,
    );
  }
  assert.throws(() => shapeOf('core/v1.Nothing'), /no type "core\/v1\.Nothing"/);
});
