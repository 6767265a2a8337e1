import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResults, readTests, statusTable } from './results.ts';

const tests = readTests('api\t-\t[sig-a] one [Conformance]\npod\tSerial\t[sig-b] two [Conformance]\n');

test('statusTable counts and names each test by its outcome', () => {
  const results = readResults(
    'passed      0.1s  [sig-a] one [Conformance]\n        a reason\nskipped 0.0s  [sig-b] two [Conformance]',
  );
  const table = statusTable(tests, new Map(results.map(({ name, outcome }) => [name, outcome])));
  assert.match(table, /\| api \| 1 \| 1 \| 0 \| 0 \|/);
  assert.match(table, /\| pod \| 1 \| 0 \| 0 \| 1 \|/);
  assert.match(table, /<summary>1 not tried<\/summary>\n\n- pod: \[sig-b\] two \[Conformance\]/);
});
