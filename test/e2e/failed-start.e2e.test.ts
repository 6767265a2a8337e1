/** A start that fails says which step, why, and what to do, and leaves nothing on the machine. */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { createTestMachine, type TestMachine } from './harness.ts';
import { leftovers } from './leftovers.ts';
import type { Outcome } from './process.ts';

let machine: TestMachine;
before(() => {
  machine = createTestMachine();
});
afterEach(async () => {
  const { code, stderr } = await machine.kubernode('reset');
  assert.equal(code, 0, stderr);
});
after(() => machine?.stop());

/** What a failure looks like: the messages, no stack, and an exit code that is not 0. */
function assertFailed({ code, stdout, stderr }: Outcome, ...messages: readonly RegExp[]): void {
  assert.ok(code === 1 || code === 2, `exit code ${code}: ${stderr}`);
  for (const message of messages) assert.match(stderr, message);
  assert.doesNotMatch(`${stdout}${stderr}`, /^\s+at .*:\d+/m);
}

/** Nothing is left but the log. */
function assertNothingLeft(): void {
  const isOurs = (line: string) => line !== `folder ${machine.dataDir}` && !line.includes('createServer().listen');
  const left = leftovers(machine.dataDir, machine.netns).filter(isOurs);
  assert.deepEqual(left, []);
  assert.deepEqual(existsSync(machine.dataDir) ? readdirSync(machine.dataDir) : ['log'], ['log']);
}

const ports: readonly [string, number, RegExp, RegExp][] = [
  ['API server', 6443, /Starting the API server: .*6443/, /Port 6443 is taken .*--secure-port/],
  ['kubelet', 10_250, /Starting the kubelet: .*10250/, /Port 10250 is taken .*--kubelet-port/],
  ['cluster DNS', 53, /Starting the cluster DNS: .*:53/, /Port 53 is taken/],
];
for (const [part, port, why, remedy] of ports) {
  test(`a port that is taken: the ${part}'s, of a first start`, async () => {
    const listen = `require('net').createServer().listen(${port}, '0.0.0.0', () => console.log('listens'))`;
    const other = machine.start(process.execPath, ['-e', listen]);
    try {
      await other.waitFor(/listens/);
      assertFailed(await machine.kubernode('up'), why, remedy);
      assertNothingLeft();
    } finally {
      await other.end();
    }
    const again = await machine.kubernode('up');
    assert.equal(again.code, 0, again.stderr);
  });
}

const databases: readonly [string, (path: string) => void, RegExp][] = [
  ['garbage', (path) => writeFileSync(path, 'not a database at all'.repeat(500)), /not an SQLite database/],
  [
    'cut off',
    (path) => {
      const half = join(machine.folder, 'half.db');
      cpSync(path, half);
      const database = new DatabaseSync(half);
      database.exec('pragma journal_mode = delete; vacuum');
      database.close();
      cpSync(half, path);
      writeFileSync(path, Buffer.alloc(8192, 0x5a), { flag: 'r+' });
    },
    /not an SQLite database|damaged/,
  ],
  [
    'newer',
    (path) => {
      const database = new DatabaseSync(path);
      database.exec('pragma user_version = 9999');
      database.close();
    },
    /newer/,
  ],
];
for (const [what, spoil, why] of databases) {
  test(`a database that is ${what}`, async () => {
    assert.equal((await machine.kubernode('up')).code, 0);
    assert.equal((await machine.kubernode('down')).code, 0);
    spoil(join(machine.dataDir, 'state.db'));
    assertFailed(await machine.kubernode('up'), /Opening the database/, why);
    assert.ok(readdirSync(machine.dataDir).includes('state.db'), 'the database is left for its rescue');
  });
}

const settings: readonly [string, string, RegExp][] = [
  ['are not JSON', '{', /cluster.json is not valid JSON/],
  ['are newer', '{"formatVersion": 2}', /newer Kubernode/],
];
for (const [what, text, why] of settings) {
  test(`settings that ${what}`, async () => {
    mkdirSync(machine.dataDir, { recursive: true });
    writeFileSync(join(machine.dataDir, 'cluster.json'), text);
    assertFailed(await machine.kubernode('up'), why);
  });
}

test('a folder with other things in it is refused, and left as it is', async () => {
  const folder = join(machine.folder, 'home');
  mkdirSync(join(folder, 'run'), { recursive: true });
  writeFileSync(join(folder, 'thesis.txt'), 'all of it');
  assertFailed(await machine.kubernode(['up', '--data-dir', folder]), /holds other things already/, /new or empty/);
  assert.match((await machine.kubernode(['reset', '--data-dir', folder])).stderr, /There is no cluster/);
  assert.deepEqual(readdirSync(folder).sort(), ['run', 'thesis.txt']);
});

test('flags and configuration files that make no sense', async () => {
  const config = join(machine.folder, 'config.yaml');
  const missing = join(machine.folder, 'missing.yaml');
  const withConfig = (text: string) => {
    writeFileSync(config, text);
    return machine.kubernode(['up', '--config', config]);
  };
  assertFailed(await machine.kubernode('up --no-such-flag'), /unknown option '--no-such-flag'/);
  assertFailed(await machine.kubernode('uq'), /unknown command 'uq'/, /Did you mean up/);
  assertFailed(await machine.kubernode('up --secure-port 99999'), /--secure-port.*Expected a port/);
  assertFailed(await machine.kubernode('up --service-cluster-ip-range 10.0.0.0'), /service-cluster-ip-range/);
  assertFailed(await machine.kubernode('up --service-node-port-range 9-1'), /service-node-port-range/);
  assertFailed(await machine.kubernode('up --authorization-mode Magic'), /authorization-mode.*Magic/);
  assertFailed(await machine.kubernode('up --enable-admission-plugins Magic'), /Magic/);
  assertFailed(await machine.kubernode('up --feature-gates Magic=true'), /feature-gates.*Magic/);
  assertFailed(await machine.kubernode('up --token-auth-file /none'), /Cannot read "\/none"/);
  assertFailed(await machine.kubernode(['up', '--config', missing]), /Cannot read the configuration/);
  assertFailed(await withConfig('secure-port: [1'), /Cannot read the configuration/);
  assertFailed(await withConfig('- a'), /must be a mapping/);
  assertFailed(await withConfig('no-such: 1'), /there is no flag "no-such"/);
  assertFailed(await withConfig('secure-port: many'), /secure-port: Expected a whole number/);
  assert.deepEqual(
    leftovers(machine.dataDir, machine.netns).filter((line) => !line.startsWith('folder')),
    [],
  );
});

test('without root: what to type instead', async () => {
  chmodSync(machine.folder, 0o755);
  const asNobody = (args: readonly string[]) =>
    machine.exec('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, ...args]);
  const main = join(import.meta.dirname, '../../packages/cli/main.ts');
  assertFailed(await asNobody([main, 'up']), /need root/, /sudo \.\/kubernode up/);
  assertFailed(await asNobody([main, 'server']), /data folder.*EACCES|need root/, /as root|sudo/);
  assertFailed(await asNobody([main, 'image', 'list']), /There is no cluster/);
});

test('a program that is not there is named, with its package', async () => {
  const hidden = join(machine.folder, 'hidden');
  writeFileSync(hidden, '', { mode: 0o644 });
  const hide = `for f in $(which -a nft); do mount --bind ${hidden} $(readlink -f $f); done; exec "$@"`;
  const main = join(import.meta.dirname, '../../kubernode');
  const outcome = await machine.exec('unshare', ['-m', 'sh', '-c', hide, 'sh', main, 'server']);
  assertFailed(outcome, /nft/, /kubernode setup/);
  assertNothingLeft();
});

test('a start that is broken off by a signal', async () => {
  const server = machine.start(join(import.meta.dirname, '../../kubernode'), 'server');
  await server.waitFor(/Starting the API server/);
  server.signal('SIGTERM');
  assertFailed(await server.outcome, /broken off by SIGTERM/);
  assertNothingLeft();
});

test('a disk that is full already, and one that fills while it starts', { timeout: 60_000 }, async () => {
  mkdirSync(machine.dataDir, { recursive: true });
  for (const size of ['16k', '200k', '500k']) {
    await machine.exec('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', machine.dataDir]);
    try {
      assertFailed(await machine.kubernode('server'), /full|no space/i, /make room|free some space/);
    } finally {
      await machine.exec('umount', [machine.dataDir]);
    }
  }
  rmdirSync(machine.dataDir);
});
