import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Probe } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger, systemClock } from '@kubernode/machinery';
import { testContainer, testPod, testRuntime } from '../testing/objects.ts';
import { simulatedRuntime } from '../testing/simulated-cri.ts';
import { httpTarget } from './http-probe.ts';
import { ProbeManager } from './probe-manager.ts';
import { resolvePort, runProbe } from './run-probe.ts';

const container = { name: 'main', resources: {}, ports: [{ name: 'http', containerPort: 8080 }] };

test('httpTarget: host, port, path and headers', () => {
  const action = {
    path: 'x?y=1',
    port: 1,
    httpHeaders: [
      { name: 'Host', value: 'a.b' },
      { name: 'Accept', value: '' },
    ],
  };
  const { url, headers } = httpTarget(action, 81, 'fd00::1');
  assert.equal(url.href, 'http://[fd00::1]:81/x?y=1');
  assert.deepEqual(headers, { 'user-agent': 'kube-probe/1.37', connection: 'close', host: 'a.b' });
  assert.throws(() => httpTarget({ port: 1, protocol: 'HTTP2' }, 1, '::1'), /not supported/);
});

test('resolvePort: by number, by name, or not at all', () => {
  assert.equal(resolvePort(80, container), 80);
  assert.equal(resolvePort('http', container), 8080);
  assert.throws(() => resolvePort('grpc', container), /couldn't find port: "grpc"/);
});

test('runProbe: http and tcp on loopback', async (t) => {
  const server = createServer((request, response) => {
    const codes: Record<string, number> = { '/bad': 500, '/moved': 302 };
    response.writeHead(codes[request.url ?? ''] ?? 200, { location: '/fine' }).end('hello');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { cri } = simulatedRuntime(new FakeClock());
  const run = (probe: Probe) => runProbe(cri, systemClock, probe, { container, containerId: 'c', podIp: '127.0.0.1' });
  assert.deepEqual(await run({ httpGet: { port } }), { healthy: true, output: 'hello' });
  assert.equal((await run({ httpGet: { port, path: '/moved' } })).healthy, true);
  const bad = { healthy: false, output: 'HTTP probe failed with statuscode: 500' };
  assert.deepEqual(await run({ httpGet: { port, path: '/bad' } }), bad);
  assert.equal((await run({ tcpSocket: { port } })).healthy, true);
  const refused = await run({ tcpSocket: { port: 1 } });
  assert.deepEqual(refused, { healthy: false, output: 'dial tcp 127.0.0.1:1: connect: connection refused' });
});

test('ProbeManager: the startup probe comes first, then readiness decides', async () => {
  const clock = new FakeClock();
  const probing = { ...container, startupProbe: { periodSeconds: 1 }, readinessProbe: { periodSeconds: 2 } };
  const pod = testPod({ containers: [probing] });
  const runs: string[] = [];
  const verdicts: string[] = [];
  const manager = new ProbeManager({
    clock,
    random: seededRandom(1),
    log: silentLogger,
    startedAtMs: 0,
    run: async (probe) => {
      const kind = probe === probing.startupProbe ? 'startup' : 'readiness';
      runs.push(kind);
      return { healthy: runs.length > 1, output: 'no' };
    },
    onVerdict: (podUid) => verdicts.push(podUid),
    onUnhealthy: (_pod, _container, message) => runs.push(message),
  });
  const running = testContainer(pod, 'main', { startedAtMs: clock.now() });
  manager.sync(pod, testRuntime(running), '10.0.0.2');
  await clock.advance(0);
  assert.deepEqual(runs, ['startup', 'Startup probe failed: no']);
  assert.equal(manager.startup(running.id), undefined);
  await clock.advance(1_000);
  assert.equal(manager.startup(running.id), true);
  assert.equal(manager.readiness(running.id), true);
  assert.equal(verdicts.length, 2);
  manager.sync(pod, testRuntime(), '10.0.0.2');
  assert.equal(manager.readiness(running.id), undefined);
  const before = runs.length;
  await clock.advance(10_000);
  assert.equal(runs.length, before);
});
