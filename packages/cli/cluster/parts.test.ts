import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../terminal/logger.ts';
import { UserError } from '../terminal/user-error.ts';
import { Parts } from './parts.ts';

function setUp() {
  const told: string[] = [];
  const log = createLogger('info', (line) => void told.push(line.replace(/^\S+ /, '').trim()));
  const parts = new Parts({ log, onStep: (title) => void told.push(title) });
  const part = (name: string) => async () => ({ stop: async () => void told.push(`stop ${name}`) });
  return { parts, told, part };
}

test('Parts.stop ends all in reverse and leaves what only a failure takes back', async () => {
  const { parts, told, part } = setUp();
  parts.afterFailure('links', () => void told.push('remove links'));
  await parts.start('a', part('a'));
  await parts.start('b', part('b'));
  await parts.stop();
  assert.deepEqual(told, ['a', 'b', 'stop b', 'stop a']);
});

test('Parts.takeBack undoes all of it, also where one thing resists', async () => {
  const { parts, told, part } = setUp();
  parts.afterFailure('links', () => void told.push('remove links'));
  await parts.start('a', part('a'));
  parts.atEnd('b', () => Promise.reject(new Error('stuck')));
  await parts.takeBack();
  const warning = 'WARN  Not stopped or taken back what=b error="Error: stuck"';
  assert.deepEqual(told, ['a', warning, 'stop a', 'remove links']);
});

test('Parts.takeBack waits for the step under way, and begins no other', async () => {
  const { parts, told, part } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  parts.afterFailure('links', () => void told.push('remove links'));
  const slow = parts.start('slow', () => promise.then(part('slow')));
  const taken = parts.takeBack();
  resolve();
  await Promise.all([slow, taken]);
  assert.deepEqual(told, ['slow', 'stop slow', 'remove links']);
  await assert.rejects(parts.start('next', part('next')), /next: the start was broken off/);
});

const failures: readonly [string, Error, RegExp][] = [
  ['a port', Object.assign(new Error('listen'), { code: 'EADDRINUSE', port: 1 }), /Port 1 is taken .* --secure-port/],
  ['a disk', Object.assign(new Error('write'), { code: 'ENOSPC' }), /disk is full/],
  ['rights', Object.assign(new Error('open'), { code: 'EACCES' }), /sudo/],
  ['a wrapped cause', new Error('x', { cause: Object.assign(new Error('y'), { code: 'ENOSPC' }) }), /disk is full/],
];
for (const [what, error, remedy] of failures) {
  test(`Parts.step names the step and the remedy for ${what}`, async () => {
    const { parts } = setUp();
    const step = parts.step('Starting', () => Promise.reject(error), { portFlag: '--secure-port' });
    const failure = await step.catch((thrown: unknown) => thrown);
    assert.ok(failure instanceof UserError);
    assert.equal(failure.message, `Starting: ${error.message}`);
    assert.match(failure.remedy ?? '', remedy);
  });
}
