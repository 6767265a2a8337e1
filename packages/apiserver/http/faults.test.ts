import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOf } from './faults.ts';

const cases: readonly (readonly [name: string, lines: readonly string[], minor: number, fault: string | undefined])[] =
  [
    ['one host', ['Host: a:6443'], 1, undefined],
    ['an empty host', ['Host: '], 1, undefined],
    ['an address of IPv6', ['host: [::1]:6443'], 1, undefined],
    ['no host', [], 1, '400 Bad Request: missing required Host header'],
    ['no host in HTTP/1.0', [], 0, undefined],
    ['two hosts', ['host: a', 'HOST: b'], 1, '400 Bad Request'],
    ['two hosts in HTTP/1.0', ['host: a', 'host: a'], 0, '400 Bad Request'],
    ['a host with a path', ['host: a/b'], 1, '400 Bad Request: malformed Host header'],
    ['chunks', ['host: a', 'transfer-encoding: Chunked'], 1, undefined],
    ['gzip and chunks', ['host: a', 'transfer-encoding: gzip, chunked'], 1, 'Unsupported transfer encoding'],
  ];

for (const [name, lines, httpVersionMinor, fault] of cases) {
  test(`faultOf ${name}`, () => {
    const rawHeaders = lines.flatMap((line) => line.split(': '));
    const headers: Record<string, string> = {};
    for (let index = 0; index < rawHeaders.length; index += 2)
      headers[rawHeaders[index]!.toLowerCase()] ??= rawHeaders[index + 1]!;
    assert.equal(faultOf({ rawHeaders, headers, httpVersionMajor: 1, httpVersionMinor })?.text, fault);
  });
}

test('faultOf asks CONNECT for no host, and for no more than one', () => {
  const connect = { method: 'CONNECT', headers: {}, httpVersionMajor: 1, httpVersionMinor: 1 };
  assert.equal(faultOf({ ...connect, rawHeaders: [] }), undefined);
  assert.equal(faultOf({ ...connect, rawHeaders: ['host', 'a', 'host', 'a'] })?.code, 400);
});
