import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { difference, type Fields } from './fields.ts';

/** In order. */
const names = ['f:a', 'f:b', 'k:{"name":"x"}', 'i:0'];

/** Sets of paths of up to three elements. */
const paths = fc.uniqueArray(
  fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((path) => path.join(' ')),
  { maxLength: 12 },
);

/** The trie of a set of paths, as FieldsV1 writes it. */
function trieOf(set: readonly string[], self = false): Fields {
  const node: Record<string, Fields> = self && set.length > 0 ? { '.': {} } : {};
  for (const name of names) {
    const below = set.filter((path) => path.startsWith(`${name} `)).map((path) => path.slice(name.length + 1));
    const isMember = set.includes(name);
    if (isMember || below.length > 0) node[name] = trieOf(below, isMember);
  }
  return node;
}

test('difference takes single paths away, and answers the set itself where it has none of them', () => {
  fc.assert(
    fc.property(paths, paths, (all, taken) => {
      const set = trieOf(all);
      const left = all.filter((path) => !taken.includes(path));
      const found = difference(set, trieOf(taken));
      assert.equal(JSON.stringify(found), JSON.stringify(trieOf(left)));
      assert.equal(found === set, left.length === all.length);
    }),
  );
});
