import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { boolean, durationMs, integer, list, text, textOr, texts } from './flag.ts';
import { optionsFromFlags, parseFlags, serverFlags } from './index.ts';

test('flags read what was given, or their default', () => {
  const cases: [{ read: (given: readonly string[]) => unknown }, readonly string[], unknown][] = [
    [text('<a>', ''), [], undefined],
    [text('<a>', ''), ['x', 'y'], 'y'],
    [textOr('<a>', '', 'd'), [], 'd'],
    [texts('<a>', ''), ['x,y', 'z'], ['x,y', 'z']],
    [list('<a>', ''), ['x, y', 'z,'], ['x', 'y', 'z']],
    [list('<a>', ''), [], undefined],
    [boolean('', true), [], true],
    [boolean('', true), ['false'], false],
    [integer('<a>', '', 7), [], 7],
    [durationMs('', '10s'), ['1h30m'], 5_400_000],
  ];
  for (const [flag, given, value] of cases) assert.deepEqual(flag.read(given), value);
  assert.throws(() => boolean('', true).read(['perhaps']), /"perhaps" is neither true nor false/);
  assert.throws(() => integer('<a>', '', 7).read(['-1']), /"-1" is not a whole number/);
});

test('parseFlags reads a command line', () => {
  const given = parseFlags(['--anonymous-auth', '--api-audiences=a,b', '--service-account-issuer', 'https://x']);
  assert.deepEqual(
    [...given],
    [
      ['anonymous-auth', ['true']],
      ['api-audiences', ['a,b']],
      ['service-account-issuer', ['https://x']],
    ],
  );
  assert.throws(() => parseFlags(['--nonsense']), /unknown flag: --nonsense/);
  assert.throws(() => parseFlags(['--__proto__=1']), /unknown flag/);
  assert.throws(() => parseFlags(['--api-audiences']), /flag needs an argument: --api-audiences/);
});

test('optionsFromFlags gives each room its options, and names a flag that cannot be used', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'flags-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, 'a,b,c\n');
  const options = (...args: string[]) => optionsFromFlags(parseFlags(args));
  const { server, security } = options(
    `--token-auth-file=${tokens}`,
    '--authorization-mode=RBAC',
    '--feature-gates=AllAlpha=true,AllBeta=true',
  );
  assert.equal(security.tokenFile, 'a,b,c\n');
  assert.deepEqual(security.authorizationModes, ['RBAC']);
  assert.deepEqual(server.featureGates, { AllAlpha: true, AllBeta: true });
  assert.deepEqual(server.serviceNodePortRange, { first: 30_000, last: 32_767 });
  assert.equal('serviceAccountSigningKey' in security, false);
  assert.throws(() => options('--token-auth-file=/none'), /--token-auth-file: Cannot read "\/none"/);
  assert.throws(() => options('--authorization-mode=Magic'), /--authorization-mode: there is no mode "Magic"/);
  assert.throws(() => options('--service-node-port-range=9-1'), /--service-node-port-range: "9-1" is not a range/);
});

test('serverFlags: all have help, and a name as a command line has it', () => {
  for (const [name, { description }] of Object.entries(serverFlags)) {
    assert.match(name, /^[a-z0-9-]+$/);
    assert.ok(description.length > 0, name);
  }
});
