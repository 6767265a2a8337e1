import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warningHeaders } from './warning-headers.ts';

test('warningHeaders quotes, and says the same once', () => {
  assert.deepEqual(warningHeaders(['a "b" \\', 'a "b" \\', 'two\nlines', '']), [
    '299 - "a \\"b\\" \\\\"',
    '299 - "two lines"',
  ]);
  assert.equal(Buffer.from(warningHeaders(['größe'])[0]!, 'latin1').toString('utf8'), '299 - "größe"');
});

test('warningHeaders cuts what is too long together', () => {
  const long = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(1000, 'x'));
  const headers = warningHeaders(long);
  assert.equal(headers.length, 16);
  assert.ok(headers.every((header) => header.length === 256 + '299 - ""'.length));
  assert.equal(warningHeaders(long.slice(0, 4))[3]!.length, 1000 + '299 - ""'.length);
});
