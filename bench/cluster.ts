/**
 * The whole cluster on this machine: how fast it starts again, what it takes while nothing happens, how fast pods run.
 * Needs root; works in a network namespace of its own and removes all of it.
 *
 * Usage: npm run bench -- cluster
 */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from 'js-yaml';
import { Node, Pod } from '@kubernode/api/core/v1';
import { createClient, kubeconfigTransport, type Client } from '@kubernode/client';
import { startTestCluster, testImage, type TestMachine } from '../test/e2e/harness.ts';

const insideFlag = '--inside';
const starts = 5;
const idleSeconds = 20;
const podsOneByOne = 10;
const podsAtOnce = 30;

if (process.argv[2] === insideFlag) await measure(process.argv[3] ?? '');
else await arrange();

/** Makes the cluster, and measures from inside of its network namespace. */
async function arrange(): Promise<void> {
  const machine = await startTestCluster();
  try {
    const seconds = await secondStarts(machine);
    const idle = await idleOf(machine);
    const args = [`--net=/run/netns/${machine.netns}`, process.execPath, import.meta.filename, insideFlag];
    const pods = await outputOf('nsenter', [...args, machine.dataDir], machine.env);
    print([...seconds, ...idle, ...(JSON.parse(pods) as Row[])]);
  } finally {
    await machine.stop();
  }
}

type Row = readonly [what: string, value: string, target: string];

function print(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(([what]) => what.length));
  for (const [what, value, target] of rows) {
    console.log(`${what.padEnd(width)}  ${value.padStart(10)}   target ${target}`);
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

/** From the start of the server's process; the API is asked over HTTPS, DNS by a datagram. */
async function secondStarts(machine: TestMachine): Promise<Row[]> {
  const times = { api: [] as number[], node: [] as number[], dns: [] as number[] };
  for (let i = 0; i < starts; i += 1) {
    await machine.kubernode('down');
    const args = [`--net=/run/netns/${machine.netns}`, process.execPath, import.meta.filename, insideFlag];
    const answer = await outputOf('nsenter', [...args, machine.dataDir, 'start'], machine.env);
    const measured = JSON.parse(answer) as { api: number; node: number; dns: number };
    for (const key of ['api', 'node', 'dns'] as const) times[key].push(measured[key]);
  }
  return [
    ['second start: API server ready', ms(median(times.api)), '< 1 s'],
    ['second start: node Ready', ms(median(times.node)), '< 3 s'],
    ['second start: cluster DNS answers', ms(median(times.dns)), '< 3 s'],
  ];
}

async function idleOf(machine: TestMachine): Promise<Row[]> {
  await sleep(5_000);
  const pid = serverPid(machine.dataDir);
  const before = cpuTicks(pid);
  await sleep(idleSeconds * 1000);
  const used = (cpuTicks(pid) - before) / 100 / idleSeconds;
  const own = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOurs(name, machine.dataDir));
  const rssBytes = own.reduce((sum, name) => sum + rssOf(name), 0);
  return [
    [`idle: resident, ${own.length} process(es)`, `${Math.round(rssBytes / 1024)} MiB`, '<= 150 MB'],
    [`idle: CPU over ${idleSeconds} s`, `${(used * 100).toFixed(2)} %`, '< 1 % of a core'],
  ];
}

function serverPid(dataDir: string): string {
  return readFileSync(join(dataDir, 'run', 'server.pid'), 'utf8').split(' ')[0] ?? '';
}

function cpuTicks(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function isOurs(pid: string, dataDir: string): boolean {
  try {
    const isServer = pid === serverPid(dataDir);
    return isServer || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir);
  } catch {
    return false;
  }
}

/** KiB. */
function rssOf(pid: string): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

/** In the network namespace. */
async function measure(dataDir: string): Promise<void> {
  const result = process.argv[4] === 'start' ? await measureStart(dataDir) : await measurePods(dataDir);
  console.log(JSON.stringify(result));
  process.exit(0);
}

async function measureStart(dataDir: string): Promise<{ api: number; node: number; dns: number }> {
  const client = connect(dataDir);
  const startedMs = Date.now();
  const up = outputOf(join(import.meta.dirname, '..', 'kubernode'), ['up'], process.env, 'ignore');
  const since = () => Date.now() - startedMs;
  const [api, node, dns] = await Promise.all([
    until(() => client.list(Pod)).then(since),
    until(() => isReadySince(client, startedMs)).then(since),
    until(() => askDns(dataDir)).then(since),
  ]);
  await up;
  return { api, node, dns };
}

async function isReadySince(client: Client, sinceMs: number): Promise<void> {
  const { items } = await client.list(Node);
  const ready = items[0]?.status.conditions?.find(({ type }) => type === 'Ready');
  const heard = Date.parse(String(ready?.lastHeartbeatTime ?? 0));
  if (ready?.status !== 'True' || heard < sinceMs - 1000) throw new Error('not ready');
}

/** An A query for kubernetes.default.svc.cluster.local. */
function askDns(dataDir: string): Promise<void> {
  const { clusterCidr } = JSON.parse(readFileSync(join(dataDir, 'cluster.json'), 'utf8')) as { clusterCidr: string };
  const labels = ['kubernetes', 'default', 'svc', 'cluster', 'local'];
  const name = labels.flatMap((label) => [label.length, ...Buffer.from(label)]);
  const query = Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...name, 0, 0, 1, 0, 1]);
  const socket = createSocket('udp4');
  return new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (answer) => (answer.readUInt16BE(6) > 0 ? resolve() : reject(new Error('no answer'))));
    socket.connect(53, clusterCidr.replace(/\.\d+\/.*$/, '.1'), () => socket.send(query));
    setTimeout(() => reject(new Error('no answer in time')), 200);
  }).finally(() => socket.close());
}

async function until(attempt: () => Promise<unknown>): Promise<void> {
  const deadlineMs = Date.now() + 30_000;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await sleep(5);
    }
  }
}

function connect(dataDir: string): Client {
  return createClient(kubeconfigTransport(load(readFileSync(join(dataDir, 'kubeconfig'), 'utf8')) as never));
}

async function measurePods(dataDir: string): Promise<Row[]> {
  const client = connect(dataDir);
  const one: number[] = [];
  for (let i = 0; i < podsOneByOne; i += 1) one.push(await timeToRunning(client, [`one-${i}`]));
  const names = Array.from({ length: podsAtOnce }, (_, i) => `many-${i}`);
  const many = await timeToRunning(client, names);
  return [
    [`create to Running, median of ${podsOneByOne}`, ms(median(one)), '< 700 ms'],
    [`${podsAtOnce} pods to Running`, ms(many), '< 15 s'],
  ];
}

async function timeToRunning(client: Client, names: readonly string[]): Promise<number> {
  const waiting = new Set(names);
  const startedMs = performance.now();
  const spec = { containers: [{ name: 'main', image: testImage, command: ['sleep', '1000'] }] };
  await Promise.all(names.map((name) => client.create(Pod, { metadata: { name, namespace: 'default' }, spec })));
  while (waiting.size > 0) {
    for (const { metadata, status } of (await client.list(Pod)).items) {
      if (status.phase === 'Running') waiting.delete(metadata.name);
    }
    if (waiting.size > 0) await sleep(10);
  }
  return performance.now() - startedMs;
}

function outputOf(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stderr: 'inherit' | 'ignore' = 'inherit',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', stderr] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}`));
    });
  });
}
