/** A server that ends while its clients do what they like: who is served is served to the end, nobody else keeps it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asking, frame, http2, request, setting, told, type } from './frames.ts';
import { startVictim } from './server.ts';
import { tcp, tls, type Wire } from './wire.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const auth = 'authorization: Bearer admin\r\n';
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n${auth}\r\n`;
const body = JSON.stringify({ metadata: { name: 'late' } });
const post = `POST ${configMaps} HTTP/1.1\r\nhost: a\r\n${auth}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
const endOfStream = 1;

test('a server that ends finishes what it began, says farewell to watches, and waits for nobody else', async () => {
  const server = await startVictim({ requestLimits: { shutdownDelayMs: 1_000, requestTimeoutMs: 5_000 } });
  for (let index = 0; index < 8; index += 1) {
    await server.create(configMaps, { metadata: { name: `big-${index}` }, data: { value: 'v'.repeat(900_000) } });
  }
  const watches: Wire[] = [];
  for (let index = 0; index < 20; index += 1) {
    const old = await tls(server.port);
    old.write(get(`${configMaps}?watch=true&fieldSelector=metadata.name%3Dnone`));
    const young = await http2(server.port);
    young.write(request(1, asking(`${configMaps}?watch=true&fieldSelector=metadata.name%3Dnone`)));
    await old.until(({ text }) => text.includes('200 OK'));
    await young.until(() => told(young, type.headers) > 0);
    watches.push(old, young);
  }
  // Silence, half a handshake, half a head, answers that nobody takes.
  const rude = [
    await tcp(server.port),
    await tcp(server.port),
    await tls(server.port),
    await http2(server.port, setting(4, 0)),
  ];
  rude[1]!.write('\x16\x03\x01\x02');
  rude[2]!.write('GET / HTTP/1.1\r\nx: ');
  rude[3]!.write(request(1, asking(configMaps)));
  const unread = await tls(server.port, 'http/1.1', false);
  unread.write(get(configMaps));
  const late = await tls(server.port);
  late.write(post + body.slice(0, -1));
  const stopped = server.stop();
  while ((await server.send('GET', '/readyz')).code === 200);
  late.write(body.slice(-1));
  await late.until(({ text }) => text.includes('\r\n\r\n'));
  assert.match(late.text, /^HTTP\/1\.1 201 /);
  assert.equal(await stopped, 0);
  for (const watch of watches) {
    await watch.closed;
    if (watch.text.startsWith('HTTP/1.1')) assert.match(watch.text, /\r\n0\r\n\r\n$/);
    else assert.ok(watch.received.includes(frame(type.data, endOfStream, 1)));
  }
  await Promise.all(rude.map(({ closed }) => closed));
  unread.destroy();
});
