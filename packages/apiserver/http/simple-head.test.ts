import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimpleHeads } from './simple-head.ts';

const read = (text: string) => new SimpleHeads().read(Buffer.from(text, 'latin1'));
const head = (line: string, ...fields: string[]) => [line, 'Host: a', ...fields, '', ''].join('\r\n');

test('SimpleHeads reads what every client sends', () => {
  const text = head('POST /api/v1/pods?dryRun=All HTTP/1.1', 'Content-Type: application/json', 'content-length: 2');
  assert.deepEqual(
    { ...read(`${text}{}`), headers: { ...read(text)?.headers } },
    {
      method: 'POST',
      target: '/api/v1/pods?dryRun=All',
      headers: { host: 'a', 'content-type': 'application/json', 'content-length': '2' },
      rawHeaders: ['Host', 'a', 'Content-Type', 'application/json', 'content-length', '2'],
      headBytes: text.length,
      bodyBytes: 2,
    },
  );
});

test('SimpleHeads reads the same fields once, and others anew', () => {
  const heads = new SimpleHeads();
  const fieldsOf = (text: string) => heads.read(Buffer.from(text))?.headers;
  const first = fieldsOf(head('GET /a HTTP/1.1', 'x: y'));
  assert.equal(fieldsOf(head('GET /b HTTP/1.1', 'x: y')), first);
  assert.equal(fieldsOf(head('GET /b HTTP/1.1', 'x: z'))?.['x'], 'z');
  assert.equal(fieldsOf(head('GET /b HTTP/1.1', 'x y')), undefined);
  assert.equal(fieldsOf(head('GET /b HTTP/1.1', 'x y')), undefined);
});

const unusual: Record<string, string> = {
  'half a head': 'GET / HTTP/1.1\r\nHost: a\r\n',
  'another version': head('GET / HTTP/1.0'),
  'another method': head('HEAD / HTTP/1.1'),
  'a method in lower case': head('get / HTTP/1.1'),
  'a whole URL': head('GET http://a/ HTTP/1.1'),
  'a target that is no path': head('GET * HTTP/1.1'),
  'a target with a fragment': head('GET /#a HTTP/1.1'),
  'a target beyond ASCII': head('GET /\xe4 HTTP/1.1'),
  'two spaces': head('GET  / HTTP/1.1'),
  'an empty line before': `\r\n${head('GET / HTTP/1.1')}`,
  'no host': 'GET / HTTP/1.1\r\nx: y\r\n\r\n',
  'no field': 'GET / HTTP/1.1\r\n\r\n',
  'two hosts': head('GET / HTTP/1.1', 'host: b'),
  'a name of every object': head('GET / HTTP/1.1', '__proto__: a'),
  'another name of every object': head('GET / HTTP/1.1', 'Constructor: a'),
  'a field twice': head('GET / HTTP/1.1', 'x: y', 'X: z'),
  'a body of GET': head('GET / HTTP/1.1', 'content-length: 1'),
  'a length that is none': head('POST / HTTP/1.1', 'content-length: 1e1'),
  'a length with a sign': head('POST / HTTP/1.1', 'content-length: +1'),
  'a length without end': head('POST / HTTP/1.1', `content-length: ${'1'.repeat(20)}`),
  chunks: head('POST / HTTP/1.1', 'transfer-encoding: chunked'),
  'an expectation': head('POST / HTTP/1.1', 'expect: 100-continue', 'content-length: 1'),
  'an upgrade': head('GET / HTTP/1.1', 'connection: upgrade', 'upgrade: websocket'),
  'a last request': head('GET / HTTP/1.1', 'connection: close'),
  'a folded field': head('GET / HTTP/1.1', 'x: y', ' z'),
  'a space before the colon': head('GET / HTTP/1.1', 'x : y'),
  'no space after the colon': head('GET / HTTP/1.1', 'x:y'),
  'a tab after the colon': head('GET / HTTP/1.1', 'x: \ty'),
  'a space at the end': head('GET / HTTP/1.1', 'x: y '),
  'an empty value': head('GET / HTTP/1.1', 'x: '),
  'an empty name': head('GET / HTTP/1.1', ': y'),
  'a field that is none': head('GET / HTTP/1.1', 'x'),
  'a line that ends in LF': 'GET / HTTP/1.1\r\nHost: a\nx: y\r\n\r\n',
  'a line that ends in CR': 'GET / HTTP/1.1\r\nHost: a\rx: y\r\n\r\n',
  'a NUL': head('GET / HTTP/1.1', 'x: a\0b'),
  'a value beyond ASCII': head('GET / HTTP/1.1', 'x: \xe4'),
  'a long head': head('GET / HTTP/1.1', `x: ${'y'.repeat(10_000)}`),
};

for (const [name, text] of Object.entries(unusual)) {
  test(`SimpleHeads leaves ${name} to others`, () => assert.equal(read(text), undefined));
}
