import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { MemoryState } from '../memory-state.ts';
import { parseKubeconfig } from '../outbound/kubeconfig.ts';
import { createOutbound } from '../outbound/outbound.ts';
import { WebhookSink } from './webhook.ts';

test('WebhookSink posts a list of events, and again while that fails', async () => {
  const bodies: string[] = [];
  const codes = [500, 503, 200];
  const web = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      bodies.push(`${request.method} ${request.url} ${text}`);
      response.writeHead(codes.shift() ?? 500).end('{}');
    });
  });
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  const { port } = web.address() as AddressInfo;
  const kubeconfig = parseKubeconfig(
    `current-context: c
contexts: [{name: c, context: {cluster: c}}]
clusters: [{name: c, cluster: {server: 'http://127.0.0.1:${port}/events'}}]`,
    '/',
  );
  const clock = new FakeClock();
  const outbound = createOutbound({ state: new MemoryState(), clock, log: silentLogger, random: () => 0.5 });
  const destination = kubeconfig.destination();
  const waitsMs: number[] = [];
  const noWaiting = {
    now: () => 0,
    after(delayMs: number, callback: () => void) {
      waitsMs.push(delayMs);
      setImmediate(callback);
      return () => {};
    },
  };
  const parts = { outbound, destination, random: () => 0.5, initialBackoffMs: 10_000 };
  const sink = new WebhookSink({ ...parts, clock: noWaiting });
  const event = { text: '{"auditID":"a"}', event: { auditID: 'a', stage: 'Panic' as const } };
  assert.equal(await sink.process([event, event]), true);
  assert.deepEqual(waitsMs, [11_000, 16_500]);
  const list =
    '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[{"auditID":"a"},{"auditID":"a"}]}';
  assert.deepEqual(new Set(bodies), new Set([`POST /events ${list}\n`]));
  assert.equal(bodies.length, 3);
  await assert.rejects(sink.process([event]), /answered with code 500/);
  assert.equal(bodies.length, 8);
  outbound.close();
  web.close();
});
