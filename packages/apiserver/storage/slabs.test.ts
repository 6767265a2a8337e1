import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slabs } from './slabs.ts';
import { StoredObject } from './stored-object.ts';

const bytesEach = 1000;

function kept(slabs: Slabs, count: number, length = bytesEach): StoredObject[] {
  return Array.from({ length: count }, (_, index) => {
    const object = new StoredObject(
      { key: `/registry/core/pods/a/p-${index}`, namespace: 'a' },
      1,
      bytesOf(index, length),
    );
    slabs.keep(object);
    return object;
  });
}

const bytesOf = (index: number, length = bytesEach) => Buffer.alloc(length, String(index));
/** The memory that a view is of. */
const slabOf = ({ bytes }: StoredObject) => bytes.buffer;

test('Slabs hold many objects side by side', () => {
  const objects = kept(new Slabs(), 3_000);
  assert.equal(new Set(objects.map(slabOf)).size, 3);
  for (const [index, object] of objects.entries()) assert.deepEqual(object.bytes, bytesOf(index));
});

test('Slabs let go of a slab of which most is dead, and what lives in it moves', () => {
  const objects = kept(new Slabs(), 3_000);
  const [first] = objects;
  const left = slabOf(first!);
  const read = first!.bytes;
  for (const [index, object] of objects.entries()) if (index % 3 !== 0) object.release();
  const living = objects.filter((_, index) => index % 3 === 0);
  assert.equal(
    living.some((object) => slabOf(object) === left),
    false,
  );
  assert.ok(new Set(living.map(slabOf)).size <= 2);
  for (const [index, object] of objects.entries()) assert.deepEqual(object.bytes, bytesOf(index));
  assert.deepEqual(read, bytesOf(0));
});

test('Slabs leave large objects where they are', () => {
  const slabs = new Slabs();
  const [large] = kept(slabs, 1, 100_000);
  const [small] = kept(slabs, 1);
  assert.notEqual(slabOf(large!), slabOf(small!));
  large!.release();
  assert.equal(large!.bytes.length, 100_000);
});

test('Slabs give what is dead, but lent, memory of its own when they leave it', () => {
  const objects = kept(new Slabs(), 1_200);
  const [lent, other] = objects;
  const left = slabOf(lent!);
  lent!.isLent = true;
  for (const object of objects.slice(0, 600)) object.release();
  assert.equal(slabOf(other!), left);
  assert.equal(slabOf(lent!).byteLength, bytesEach);
  assert.deepEqual(lent!.bytes, bytesOf(0));
});
