import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { logContainerId } from './log-container.ts';
import { readLog, type LogOptions } from './log-reader.ts';

const line = (second: number, text: string, stream = 'stdout', tag = 'F') =>
  `2026-01-01T00:00:0${second}.000000000Z ${stream} ${tag} ${text}\n`;
const content = [line(1, 'one'), line(2, 'tw', 'stdout', 'P'), line(2, 'o'), line(3, 'three', 'stderr')].join('');
const plain: LogOptions = { follow: false, timestamps: false, stream: 'All' };

async function logFile(t: TestContext, text: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kubelet-logs-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, '0.log'), text);
  return join(dir, '0.log');
}

const ended = { isRunning: async () => false, onChange: () => () => {}, signal: new AbortController().signal };

const cases: { name: string; options: Partial<LogOptions>; expected: string }[] = [
  { name: 'all', options: {}, expected: 'one\ntwo\nthree\n' },
  { name: 'one stream', options: { stream: 'Stderr' }, expected: 'three\n' },
  { name: 'since', options: { sinceMs: Date.parse('2026-01-01T00:00:03Z') }, expected: 'three\n' },
  { name: 'the last line', options: { tailLines: 1 }, expected: 'three\n' },
  { name: 'no line', options: { tailLines: 0 }, expected: '' },
  { name: 'more lines than there are', options: { tailLines: 9 }, expected: 'one\ntwo\nthree\n' },
  { name: 'so many bytes', options: { limitBytes: 5 }, expected: 'one\nt' },
  {
    name: 'timestamps',
    options: { timestamps: true, tailLines: 3 },
    expected: '2026-01-01T00:00:02.000000000Z two\n2026-01-01T00:00:03.000000000Z three\n',
  },
];
for (const { name, options, expected } of cases) {
  test(`readLog: ${name}`, async (t) => {
    const path = await logFile(t, content);
    const chunks: Buffer[] = [];
    for await (const chunk of readLog({ ...ended, path }, { ...plain, ...options })) chunks.push(chunk);
    assert.equal(Buffer.concat(chunks).toString(), expected);
  });
}

test('readLog: follows through a rotation until the container has ended', { timeout: 5_000 }, async (t) => {
  const path = await logFile(t, line(1, 'one'));
  let running = true;
  let changed = () => {};
  const onChange = (callback: () => void) => {
    changed = callback;
    return () => {};
  };
  const log = readLog({ ...ended, path, onChange, isRunning: async () => running }, { ...plain, follow: true });
  const next = async () => String((await log.next()).value ?? '');
  assert.equal(await next(), 'one\n');
  await appendFile(path, line(2, 'two'));
  assert.equal(await next(), 'two\n');
  await rename(path, `${path}.rotated`);
  await writeFile(path, line(3, 'three'));
  assert.equal(await next(), 'three\n');
  const last = log.next();
  running = false;
  changed();
  assert.equal((await last).done, true);
});

test('logContainerId: the container that is meant, or why there is none', () => {
  const status = (state: object, lastState: object = {}) => ({
    containerStatuses: [
      { name: 'main', state, lastState, containerID: 'x://now', ready: false, restartCount: 0, image: '', imageID: '' },
    ],
  });
  const terminated = (id: string) => ({ terminated: { exitCode: 0, containerID: `x://${id}` } });
  assert.equal(logContainerId('p', status({ running: {} }), 'main', false), 'now');
  assert.equal(logContainerId('p', status(terminated('dead')), 'main', false), 'dead');
  assert.equal(logContainerId('p', status({ running: {} }, terminated('before')), 'main', true), 'before');
  assert.equal(
    logContainerId('p', status({ waiting: { reason: 'CrashLoopBackOff' } }, terminated('b')), 'main', false),
    'b',
  );
  const refused: [object, boolean, RegExp][] = [
    [{ running: {} }, true, /previous terminated container "main" in pod "p" not found/],
    [{ waiting: { reason: 'ContainerCreating' } }, false, /is waiting to start: ContainerCreating/],
    [{ waiting: { reason: 'ImagePullBackOff' } }, false, /trying and failing to pull image/],
  ];
  for (const [state, previous, error] of refused) {
    assert.throws(() => logContainerId('p', status(state), 'main', previous), error);
  }
  assert.throws(() => logContainerId('p', {}, 'main', false), /container "main" in pod "p" is not available/);
});
