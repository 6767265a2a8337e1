/** The real bridge and the real rules, inside a network namespace that the test makes; nothing leaves it. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { silentLogger } from '@kubernode/machinery';
import { openBridgeNetwork, type BridgeNetwork } from './bridge/bridge.ts';
import { runCommand, type RunCommand } from './command.ts';
import { baseScript, difference } from './proxy/script.ts';
import { tableState } from './proxy/table.ts';
import type { ServicePortState } from './proxy/service-ports.ts';

const id = process.pid.toString(36);
const host = `kn-host-${id}`;
const pods = ['a', 'b'].map((name) => ({ sandboxId: `${name}-${id}`, namespace: `kn-pod-${name}-${id}` }));
const folder = mkdtempSync(join(tmpdir(), 'kubernode-network-'));
const inHost: RunCommand = (command, args, options) =>
  runCommand('nsenter', [`--net=/run/netns/${host}`, command, ...args], options);
const servers: ReturnType<typeof spawn>[] = [];
let network: BridgeNetwork;

const attachment = ({ sandboxId, namespace }: (typeof pods)[number]) => ({
  sandboxId,
  netnsPath: `/run/netns/${namespace}`,
  pod: { name: sandboxId, namespace: 'default', uid: sandboxId },
});

before(async () => {
  for (const name of [host, ...pods.map(({ namespace }) => namespace)]) execFileSync('ip', ['netns', 'add', name]);
  network = await openBridgeNetwork({
    bridge: `kn${id}`.slice(0, 15),
    table: 'kn-bridge',
    podRange: '10.244.0.0/24',
    clusterRange: '10.244.0.0/16',
    serviceRange: '10.96.0.0/16',
    stateFolder: folder,
    log: silentLogger,
    run: inHost,
  });
});

after(() => {
  for (const server of servers) server.kill();
  for (const name of [host, ...pods.map(({ namespace }) => namespace)]) execFileSync('ip', ['netns', 'del', name]);
  rmSync(folder, { recursive: true });
});

/** One page on a port inside a pod. */
async function serve(namespace: string, text: string): Promise<void> {
  const program = `require('http').createServer((_, r) => r.end('${text}')).listen(8080, () => console.log('up'))`;
  const server = spawn('nsenter', [`--net=/run/netns/${namespace}`, process.execPath, '-e', program], {
    stdio: 'pipe',
  });
  servers.push(server);
  await once(server.stdout, 'data');
}

/** Fails with the code of the system's error: ECONNREFUSED, EHOSTUNREACH. */
function fetchFrom(namespace: string, url: string): Promise<string> {
  const request = `require('http').get('${url}', { agent: false }, (r) => r.pipe(process.stdout))`;
  const program = `${request}.on('error', (e) => { console.error(e.code); process.exit(1) }).setTimeout(2000)`;
  return runCommand('nsenter', [`--net=/run/netns/${namespace}`, process.execPath, '-e', program]);
}

test('bridge and proxy: a pod answers over its address, its Service, and to itself', async () => {
  const ips: string[] = [];
  for (const pod of pods) ips.push((await network.attach(attachment(pod))).ips[0] ?? '');
  assert.deepEqual(ips, ['10.244.0.2', '10.244.0.3']);
  const [a, b] = pods as [(typeof pods)[0], (typeof pods)[0]];
  await serve(a.namespace, 'hello');
  assert.equal(await fetchFrom(b.namespace, 'http://10.244.0.2:8080/'), 'hello');

  const port: ServicePortState = {
    id: 'default/web/tcp/',
    protocol: 'tcp',
    clusterIps: ['10.96.0.20'],
    externalIps: [],
    port: 80,
    nodePort: 30080,
    internal: [{ address: '10.244.0.2', port: 8080, isLocal: true }],
    external: [{ address: '10.244.0.2', port: 8080, isLocal: true }],
    externalLocal: false,
    internalLocal: false,
    affinitySeconds: 0,
  };
  const wanted = tableState([
    port,
    { ...port, id: 'default/sticky/tcp/', clusterIps: ['10.96.0.21'], nodePort: 0, affinitySeconds: 60 },
  ]);
  const base = baseScript({ table: 'kn-services', serviceRange: '10.96.0.0/16' });
  await inHost('nft', ['-f', '-'], { input: base + difference('kn-services', tableState([]), wanted) });

  assert.equal(await fetchFrom(b.namespace, 'http://10.96.0.20/'), 'hello', 'from another pod');
  assert.equal(await fetchFrom(a.namespace, 'http://10.96.0.20/'), 'hello', 'from the pod itself (hairpin)');
  assert.equal(await fetchFrom(b.namespace, 'http://10.96.0.21/'), 'hello', 'with session affinity');
  assert.equal(await fetchFrom(host, 'http://10.96.0.20/'), 'hello', 'from the host');
  assert.equal(await fetchFrom(host, 'http://10.244.0.1:30080/'), 'hello', 'NodePort on the node');
  assert.equal(await fetchFrom(host, 'http://127.0.0.1:30080/'), 'hello', 'NodePort on localhost');
  await assert.rejects(
    fetchFrom(b.namespace, 'http://10.96.9.9/'),
    /ECONNREFUSED/,
    'an unknown Service address is rejected',
  );
  await assert.rejects(fetchFrom(host, 'http://10.244.0.9:80/'), /ECONNREFUSED/, 'an unknown pod address is rejected');
  await assert.rejects(fetchFrom(b.namespace, 'http://10.244.0.9:80/'), /ECONNREFUSED/, 'also from a pod');
  await assert.rejects(fetchFrom(b.namespace, 'http://10.244.7.9:80/'), /ECONNREFUSED/, 'and one of another range');

  // The same where the kernel does not hand bridged packets to the filter (no br_netfilter, or off).
  const bridgeFilter = '/proc/sys/net/bridge/bridge-nf-call-iptables';
  if (existsSync(bridgeFilter)) await inHost('tee', [bridgeFilter], { input: '0' });
  assert.equal(await fetchFrom(b.namespace, 'http://10.96.0.20/'), 'hello', 'from another pod, routed');
  assert.equal(await fetchFrom(a.namespace, 'http://10.96.0.20/'), 'hello', 'from the pod itself, routed');
  assert.equal(await fetchFrom(b.namespace, 'http://10.244.0.2:8080/'), 'hello', 'pod to pod, routed');

  await inHost('nft', ['-f', '-'], { input: difference('kn-services', wanted, tableState([])) });
  await assert.rejects(
    fetchFrom(b.namespace, 'http://10.96.0.20/'),
    /ECONNREFUSED/,
    'a Service that is gone is rejected',
  );
});

test('bridge: host ports open and close with the pod', async () => {
  const [a] = pods as [(typeof pods)[0]];
  await network.detach(attachment(a));
  execFileSync('ip', ['netns', 'del', a.namespace]);
  execFileSync('ip', ['netns', 'add', a.namespace]);
  const withPort = {
    ...attachment(a),
    portMappings: [{ protocol: 'TCP' as const, containerPort: 8080, hostPort: 9090 }],
  };
  const { ips } = await network.attach(withPort);
  assert.equal(ips.length, 1);
  await serve(a.namespace, 'port');
  assert.equal(await fetchFrom(host, 'http://10.244.0.1:9090/'), 'port');
  await network.detach(withPort);
  await assert.rejects(fetchFrom(host, 'http://10.244.0.1:9090/'), /ECONNREFUSED/);
});

test('bridge: remove leaves neither link nor table', async () => {
  for (const pod of pods) await network.detach(attachment(pod));
  await network.remove();
  assert.equal((await inHost('nft', ['list', 'tables'])).includes('kn-bridge'), false);
  assert.equal((await inHost('ip', ['-br', 'link'])).includes(`kn${id}`), false);
});
