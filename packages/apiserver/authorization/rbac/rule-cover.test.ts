import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingRules } from './rule-cover.ts';

const names = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index}`);

test('missingRules says once what differs in its verbs only', () => {
  const own = [{ verbs: ['get'], apiGroups: [''], resources: ['pods', '*/log'] }];
  const wanted = [
    { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] },
    { verbs: ['list', 'watch'], apiGroups: [''], resources: ['pods'], nonResourceURLs: ['/a'] },
  ];
  assert.deepEqual(missingRules(own, wanted), [
    { verbs: ['list', 'watch'], apiGroups: [''], resources: ['pods'] },
    { verbs: ['list'], apiGroups: [''], resources: ['pods/log'] },
    { verbs: ['list', 'watch'], nonResourceURLs: ['/a'] },
  ]);
});

test('missingRules refuses a rule that stands for a billion', () => {
  const wide = { verbs: names('v', 1_000), apiGroups: names('g', 1_000), resources: names('r', 1_000) };
  assert.throws(() => missingRules([], [wide]), { reason: 'RequestEntityTooLarge' });
  assert.equal(missingRules([], [{ ...wide, apiGroups: [''], resources: names('r', 500) }]).length, 500);
});
