import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openCniNetwork, readCniConfigs } from './cni.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kubernode-cni-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const pod = { sandboxId: 's1', netnsPath: '/run/netns/x', pod: { name: 'web', namespace: 'default', uid: 'u1' } };

/** A plugin that writes down how it was called, and answers as it is told. */
function plugin(name: string, answer: string, exitCode = 0): void {
  const script = `#!/bin/sh\ninput=$(cat)\necho "${name} $CNI_COMMAND $CNI_CONTAINERID $CNI_IFNAME $input" >> ${folder}/calls\n`;
  writeFileSync(join(folder, name), `${script}printf '%s' '${answer}'\nexit ${exitCode}\n`, { mode: 0o755 });
}

const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
const result = '{"cniVersion":"1.0.0","ips":[{"address":"10.1.0.5/24"}]}';
const network = (...types: string[]) =>
  openCniNetwork({
    config: { cniVersion: '1.0.0', name: 'net', plugins: types.map((type) => ({ type })) },
    binaryFolders: [folder],
    stateFolder: join(folder, 'state'),
  });

test('openCniNetwork adds down the list, handing on results, and deletes up the list', async () => {
  plugin('first', result);
  plugin('second', result);
  const opened = network('first', 'second');
  assert.deepEqual(await opened.attach(pod), { ips: ['10.1.0.5'] });
  assert.deepEqual(await opened.attach(pod), { ips: ['10.1.0.5'] }, 'the second time from what is kept');
  await opened.detach(pod);
  assert.deepEqual(
    calls().map((line) => line.split(' ').slice(0, 4).join(' ')),
    ['first ADD s1 eth0', 'second ADD s1 eth0', 'second DEL s1 eth0', 'first DEL s1 eth0'],
  );
  assert.match(calls()[0] ?? '', /"name":"net"/);
  assert.doesNotMatch(calls()[0] ?? '', /prevResult/);
  assert.match(calls()[1] ?? '', /"prevResult":\{"cniVersion":"1.0.0"/);
});

test('openCniNetwork undoes what was added when a plugin fails, and tells that failure', async () => {
  plugin('first', result);
  plugin('broken', '{"code":7,"msg":"no address left"}', 1);
  await assert.rejects(network('first', 'broken').attach(pod), /no address left/);
  assert.ok(calls().some((line) => line.startsWith('first DEL')));
});

test('openCniNetwork names a plugin that is not there', async () => {
  await assert.rejects(network('absent').attach(pod), /CNI plugin "absent" is in none of/);
});

test('readCniConfigs reads lists and single plugins in the order of their names, and names what is wrong', () => {
  writeFileSync(join(folder, '20-single.conf'), '{"cniVersion":"0.4.0","name":"b","type":"bridge"}');
  writeFileSync(join(folder, '10-list.conflist'), '{"cniVersion":"1.0.0","name":"a","plugins":[{"type":"bridge"}]}');
  assert.deepEqual(
    readCniConfigs(folder).map(({ name }) => name),
    ['a', 'b'],
  );
  writeFileSync(join(folder, '05-bad.conf'), '{');
  assert.throws(() => readCniConfigs(folder), /05-bad\.conf is not valid JSON/);
  assert.deepEqual(readCniConfigs(join(folder, 'nowhere')), []);
});
