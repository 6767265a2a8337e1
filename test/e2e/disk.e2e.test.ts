/** A disk that is full, read-only, slow, broken, or taken away: what the API server tells, and that it goes on after. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { http1, http2, type Answer, type Api } from './kill-api.ts';
import { KillableServer, program } from './kill-server.ts';

const port = 23_021;
const path = '/api/v1/namespaces/default/configmaps';
const valueBytes = 100_000;
const slowMs = 2_000;

const folder = mkdtempSync(join(tmpdir(), 'kubernode-disk-'));
const data = join(folder, 'data');
// A mount namespace of its own: the small disk ends with the process.
const mount = `mount -t tmpfs -o size=64m none "${data}"; exec "$@"`;
const server = new KillableServer({ folder, port, under: ['unshare', '--mount', 'sh', '-ec', mount, 'sh'] });
/** Of what was acknowledged; in the order of their names. */
const kept = new Set<string>();
let api: Api;
let last = 0;

before(async () => {
  mkdirSync(data);
  await server.start();
  api = http1(server.place);
});
after(async () => {
  api?.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

function inside(...command: readonly string[]): void {
  const { status, stderr } = spawnSync('nsenter', ['-t', String(server.pid), '-m', ...command], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

async function create(query = ''): Promise<Answer> {
  const name = `c${(last += 1)}`;
  const body = { metadata: { name }, data: { value: 'x'.repeat(valueBytes) } };
  const answer = await api.send({ method: 'POST', path: `${path}${query}`, body });
  if (answer.code === 201) kept.add(name);
  return answer;
}

/** Creates until one is refused. */
async function refused(): Promise<{ readonly code: number; readonly reason: string; readonly message: string }> {
  for (;;) {
    const { code, text } = await create();
    if (code !== 201) return { ...(JSON.parse(text) as { reason: string; message: string }), code };
  }
}

async function names(): Promise<string[]> {
  const { code, text } = await api.send({ method: 'GET', path });
  assert.equal(code, 200, text);
  const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('c'));
}

const health = async (endpoint: string) => (await api.send({ method: 'GET', path: `/${endpoint}` })).code;

/** Reads go on, and the server is alive; what was acknowledged is there, and nothing that was refused. */
async function goesOn(isReady = true): Promise<void> {
  assert.deepEqual(new Set(await names()), kept);
  assert.deepEqual([await health('livez'), await health('readyz')], [200, isReady ? 200 : 500]);
  const metrics = await api.send({ method: 'GET', path: '/metrics' });
  assert.match(metrics.text, /etcd_request_errors_total\{[^}]*resource="configmaps"\} \d/);
}

const told = (pattern: RegExp) => server.output.split('\n').filter((line) => pattern.test(line)).length;

/** The system calls of the server go wrong as told until the answer is called. */
async function withFault(inject: string): Promise<() => Promise<void>> {
  const [calls = ''] = inject.split(':');
  const what = ['-e', `trace=${calls}`, '-e', `inject=${inject}`, '-e', 'signal=none', '-o', '/dev/null'];
  const tracer = spawn('strace', ['-f', '-p', String(server.pid), ...what], { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(tracer.stderr, 'data');
  return async () => {
    tracer.kill('SIGINT');
    await once(tracer, 'exit');
  };
}
const hasTracer = spawnSync('strace', ['-V']).status === 0;
const needsTracer = { skip: !hasTracer && 'strace is not installed' };

test('a full disk: writes are refused by name, reads and watches go on, and it ends without a restart', async () => {
  const watched: string[] = [];
  const ended = new AbortController();
  const watcher = http2(server.place);
  const following = watcher.stream(
    { method: 'GET', path: `${path}?watch=true` },
    (bytes) => {
      for (const [, name = ''] of bytes.toString().matchAll(/"metadata":\{"name":"(c\d+)"/g)) watched.push(name);
    },
    ended.signal,
  );
  following.catch(() => {});
  assert.equal((await create()).code, 201);
  inside('mount', '-o', 'remount,size=4m', data);
  const { code, reason, message } = await refused();
  assert.deepEqual([code, reason], [503, 'ServiceUnavailable']);
  assert.match(message, /database cannot be written: the disk is full: free some space, then writes work again/);
  assert.doesNotMatch(message, /kubernode-disk-/);
  assert.equal((await create()).code, 503);
  // A change as large as what is there: a small one may find room in what the log has.
  const body = { metadata: { name: 'c1' }, data: { value: 'y'.repeat(valueBytes) } };
  assert.equal((await api.send({ method: 'PUT', path: `${path}/c1`, body })).code, 503);
  await goesOn();
  assert.equal(told(/ERROR.*cannot be written.*state\.db.*the disk is full/), 1, server.output);
  inside('mount', '-o', 'remount,size=64m', data);
  assert.equal((await create()).code, 201);
  await goesOn();
  assert.equal(told(/can be written again/), 1, server.output);
  const newest = `c${last}`;
  while (!watched.includes(newest)) await new Promise(setImmediate);
  ended.abort();
  watcher.close();
  assert.deepEqual(new Set(watched.filter((name) => name.startsWith('c'))), kept);
});

test('a database that is taken away takes no more writes, and is not ready, until it is back', async () => {
  inside('mv', join(data, 'state.db'), join(data, 'elsewhere.db'));
  const { code, message } = await refused();
  assert.equal(code, 503);
  assert.match(message, /"state\.db" was taken away or replaced while in use: put it back as it was/);
  await goesOn(false);
  inside('mv', join(data, 'elsewhere.db'), join(data, 'state.db'));
  assert.equal((await create()).code, 201);
  await goesOn();
});

const faults: readonly [string, string, RegExp][] = [
  ['a disk that fails', 'pwrite64:error=EIO', /the disk fails \(disk I\/O error\): look after it; every write tries/],
  [
    'a file system that became read-only',
    'pwrite64,access,faccessat,faccessat2:error=EROFS',
    /the file system is read-only: mount it for writing/,
  ],
  ['a disk that cannot be flushed', 'fsync,fdatasync:error=EIO', /the disk fails/],
];
for (const [what, inject, why] of faults) {
  test(`${what}: writes are refused, reads go on, and it ends without a restart`, needsTracer, async () => {
    const mend = await withFault(inject);
    const { code, reason, message } = await refused();
    assert.deepEqual([code, reason], [503, 'ServiceUnavailable']);
    assert.match(message, why);
    await goesOn();
    await mend();
    assert.equal((await create()).code, 201);
    await goesOn();
  });
}

test('a slow disk: who waits is served together, who does not wait is told of the timeout', needsTracer, async () => {
  const mend = await withFault(`fsync,fdatasync:delay_enter=${slowMs}ms`);
  const [impatient, ...others] = await Promise.all([
    create('?timeout=1s'),
    ...Array.from({ length: 60 }, () => create()),
  ]);
  await mend();
  assert.equal(impatient.code, 504);
  assert.match(impatient.text, /"Timeout: request did not complete within the allotted timeout"/);
  assert.deepEqual(new Set(others.map(({ code }) => code)), new Set([201]));
  const there = await names();
  assert.deepEqual(
    [...kept].filter((name) => !there.includes(name)),
    [],
  );
  assert.equal((await create()).code, 201);
  // It was written whole after all, or not at all.
  for (const name of await names()) kept.add(name);
});

test('a second server on the same folder is refused, and the first goes on', async () => {
  const flags = ['apiserver', '--data-dir', data, '--secure-port', String(port + 1)];
  const inNamespace = ['-t', String(server.pid), '-m', process.execPath, program];
  const second = spawnSync('nsenter', [...inNamespace, ...flags], { encoding: 'utf8', timeout: 120_000 });
  assert.equal(second.status, 1);
  assert.match(second.stderr, new RegExp(`in use by process ${server.pid}`));
  assert.equal((await create()).code, 201);
});

test('what was acknowledged is there after all that, and no stack was shown', async () => {
  assert.doesNotMatch(server.output, /\bat .*\.ts:\d+/);
  inside('sh', '-c', `mkdir "${folder}/copy" && cp -r "${data}" "${folder}/copy/data"`);
  await server.kill();
  rmSync(data, { recursive: true });
  const copy = new KillableServer({ folder: join(folder, 'copy'), port });
  try {
    await copy.start();
    assert.deepEqual(new Set(await names()), kept);
  } finally {
    await copy.kill();
  }
});
