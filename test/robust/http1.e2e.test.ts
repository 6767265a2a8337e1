/** What is no HTTP/1.1, or hopes that two servers read it differently: one clear answer, and the connection is over. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startVictim, type Victim } from './server.ts';
import { tcp, tls, type Wire } from './wire.ts';

let server: Victim;
before(async () => {
  server = await startVictim({ requestLimits: { lingerMs: 500, headTimeoutMs: 4_000 } });
});
after(async () => assert.equal(await server.stop(), 0));

const configMaps = '/api/v1/namespaces/default/configmaps';
const auth = 'authorization: Bearer admin\r\n';
const get = (more = '', path = '/version') => `GET ${path} HTTP/1.1\r\nhost: a\r\n${auth}${more}\r\n`;
const post = (headers: string, body: string) =>
  `POST ${configMaps}?dryRun=All HTTP/1.1\r\nhost: a\r\n${auth}content-type: application/json\r\n${headers}\r\n${body}`;
const chunked = (body: string) => post('transfer-encoding: chunked\r\n', body);
const smuggled = get();

/** Each is refused with this code, and whatever follows on the connection is no request any more. */
const refused: readonly (readonly [name: string, sent: string, code: number])[] = [
  ['junk', 'asdf\0\x01\x02\r\n\r\n', 400],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['HTTP/3.0', 'GET /version HTTP/3.0\r\nhost: a\r\n\r\n', 505],
  ['no host', `GET /version HTTP/1.1\r\n${auth}\r\n`, 400],
  ['two hosts', get('host: b\r\n'), 400],
  ['the same host twice', get('host: a\r\n'), 400],
  ['a host that is none', `GET /version HTTP/1.1\r\nhost: a b\r\n${auth}\r\n`, 400],
  ['two hosts of an upgrade', get('host: b\r\nconnection: upgrade\r\nupgrade: websocket\r\n'), 400],
  ['a folded header', get('x: a\r\n b\r\n'), 400],
  ['lines that end in LF', 'GET /version HTTP/1.1\nhost: a\n\n', 400],
  ['a CR in a header', get('x: a\rb\r\n'), 400],
  ['a NUL in a header', get('x: a\0b\r\n'), 400],
  ['a length and chunks', post('content-length: 4\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n'), 400],
  ['two lengths', post('content-length: 4\r\ncontent-length: 5\r\n', 'abcde'), 400],
  ['the same length twice', post('content-length: 2\r\ncontent-length: 2\r\n', '{}'), 400],
  ['a list of lengths', post('content-length: 2, 2\r\n', '{}'), 400],
  ['a length below 0', post('content-length: -2\r\n', '{}'), 400],
  ['a length with a sign', post('content-length: +2\r\n', '{}'), 400],
  ['a length in hexadecimals', post('content-length: 0x2\r\n', '{}'), 400],
  ['a length beyond 64 bits', post('content-length: 99999999999999999999999\r\n', '{}'), 400],
  ['a coding that is not chunked', post('transfer-encoding: xchunked\r\n', '0\r\n\r\n'), 501],
  ['chunked twice', post('transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n'), 501],
  ['a coding before chunked', post('transfer-encoding: gzip, chunked\r\n', '0\r\n\r\n'), 501],
  ['a coding of what has no body', get('transfer-encoding: identity\r\n'), 501],
  ['a space before a colon', post('transfer-encoding : chunked\r\n', '0\r\n\r\n'), 400],
  ['chunks that end in LF', chunked('2\n{}\n0\n\n'), 400],
  ['a chunk below 0', chunked('-2\r\n{}\r\n0\r\n\r\n'), 400],
  ['a chunk beyond 64 bits', chunked('fffffffffffffffff\r\n{}\r\n0\r\n\r\n'), 400],
  ['a chunk that is longer than it says', chunked('2\r\n{}{}\r\n0\r\n\r\n'), 400],
  ['a chunk extension of 64 KB', chunked(`2;a=${'b'.repeat(65_536)}\r\n{}\r\n0\r\n\r\n`), 400],
  ['20,000 headers', get(Array.from({ length: 20_000 }, (_, index) => `x${index}: y\r\n`).join('')), 431],
];

/** A new connection, or one on which requests were answered before: by Node's HTTP, and past it. */
const openings: readonly (readonly [when: string, requests: number])[] = [
  ['at once', 0],
  ['later', 3],
];

async function opened(requests: number): Promise<Wire> {
  const wire = await tls(server.port);
  for (let request = 0; request < requests; request += 1) {
    wire.write(get());
    await wire.until(({ text }) => isWhole(text));
    assert.match(wire.text, /^HTTP\/1\.1 200 /);
    wire.received = Buffer.alloc(0);
  }
  return wire;
}

function isWhole(text: string): boolean {
  const [head = '', body] = text.split('\r\n\r\n');
  return body?.length === Number(/content-length: (\d+)/i.exec(head)?.[1]);
}

const cases = <T extends readonly unknown[]>(list: readonly T[]) =>
  openings.flatMap(([when, requests]) => list.map((each) => ({ when, requests, each })));

for (const { when, requests, each } of cases(refused)) {
  const [name, sent, code] = each;
  test(`${name} is refused with ${code}, ${when}`, async () => {
    const wire = await opened(requests);
    wire.write(sent);
    wire.write(smuggled);
    await wire.closed;
    assert.match(wire.text, new RegExp(`^HTTP/1\\.1 ${code} `));
    assert.equal(wire.text.match(/HTTP\/1\.1 \d+/g)?.length, 1);
  });
}

const endless: readonly (readonly [name: string, sent: string])[] = [
  ['a header without end', get(`x: ${'y'.repeat(2 << 20)}\r\n`)],
  ['a URL without end', get('', `/${'y'.repeat(2 << 20)}`)],
  ['a trailer without end', chunked(`2\r\n{}\r\n0\r\nx: ${'y'.repeat(2 << 20)}\r\n\r\n`)],
];

for (const { when, requests, each } of cases(endless)) {
  const [name, sent] = each;
  test(`${name} is not read to its end, ${when}`, async () => {
    const wire = await opened(requests);
    wire.write(sent);
    await wire.closed;
    // Whoever still writes may lose the answer.
    assert.match(wire.text, /^(HTTP\/1\.1 431 .*)?$/s);
  });
}

/** What looks strange, and is right. */
const answered: readonly (readonly [name: string, sent: string, codes: readonly number[]])[] = [
  ['a pipeline', get() + post('content-length: 2\r\n', '{}') + get(), [200, 422, 200]],
  ['a pipeline with a half', `${get()}${get()}GET /version HTTP/1.1\r\nhost: a\r\n`, [200, 200]],
  ['a body of GET', `${get('content-length: 5\r\n')}abcde${get()}`, [200, 200]],
  ['a chunk with an extension', chunked('2;a=b\r\n{}\r\n0\r\n\r\n') + get(), [422, 200]],
  ['a trailer', chunked('2\r\n{}\r\n0\r\nx: y\r\n\r\n') + get(), [422, 200]],
  ['an expectation', get('expect: 100-continue\r\n'), [100, 200]],
  ['another expectation', post('expect: tea\r\ncontent-length: 2\r\n', '{}') + get(), [417, 200]],
  ['a URL of 900 KB', get('', `/${'y'.repeat(900_000)}`), [404]],
  ['a method that nobody knows', get() + get().replace('GET', 'FOO'), [200, 405]],
  ['an upgrade to nothing that is there', get('connection: upgrade\r\nupgrade: tea\r\n'), [200]],
  ['an upgrade to HTTP/2', get('connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AA\r\n'), [200]],
];

for (const { when, requests, each } of cases(answered)) {
  const [name, sent, codes] = each;
  test(`${name} is answered, ${when}`, async () => {
    const wire = await opened(requests);
    wire.write(sent);
    const told = () => (wire.text.match(/HTTP\/1\.1 \d+/g) ?? []).map((line) => Number(line.slice(9)));
    await wire.until(() => told().length >= codes.length);
    assert.deepEqual(told(), codes);
    wire.destroy();
  });
}

test('plain HTTP on the port of HTTPS is told so', async () => {
  const wire = await tcp(server.port);
  wire.write(get());
  await wire.closed;
  assert.equal(wire.text, 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
});

test('the server serves on, and has forgotten all of them', async () => {
  await server.survives(async () => {
    const wires = await Promise.all(Array.from({ length: 200 }, () => tcp(server.port)));
    for (const [index, wire] of wires.entries()) wire.write(index % 2 ? get() : Buffer.alloc(5_000, index));
    await Promise.all(wires.map(({ closed }) => closed));
  });
});
