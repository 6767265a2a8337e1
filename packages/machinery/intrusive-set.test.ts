import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IntrusiveSet, type Placed } from './intrusive-set.ts';

interface Guest extends Placed {
  readonly name: string;
}

const guest = (name: string): Guest => ({ name, place: -1 });
const names = (set: IntrusiveSet<Guest>) => [...set].map(({ name }) => name).sort();

test('IntrusiveSet has each member once, until it is deleted', () => {
  const set = new IntrusiveSet<Guest>();
  const [a, b, c] = [guest('a'), guest('b'), guest('c')];
  for (const each of [a, b, c, a, c]) set.add(each);
  assert.deepEqual(names(set), ['a', 'b', 'c']);
  set.delete(a);
  assert.deepEqual(names(set), ['b', 'c']);
  set.delete(a);
  set.delete(guest('b'));
  assert.equal(set.size, 2);
  set.add(a);
  set.delete(c);
  set.delete(b);
  assert.deepEqual(names(set), ['a']);
  set.delete(a);
  assert.equal(set.size, 0);
});

test('IntrusiveSet yields those that were there when the walk began', () => {
  const set = new IntrusiveSet<Guest>();
  const all = ['a', 'b', 'c', 'd'].map(guest);
  for (const each of all) set.add(each);
  const seen: string[] = [];
  for (const each of set) {
    seen.push(each.name);
    set.delete(each);
    set.add(guest('late'));
  }
  assert.deepEqual(seen.sort(), ['a', 'b', 'c', 'd']);
  assert.deepEqual(names(set), ['late', 'late', 'late', 'late']);
});
