import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { existingDataDir, type ClusterSettings } from './data-dir.ts';
import { openDataDir } from './open-data-dir.ts';
import { holderOf, takeRole } from './lock.ts';

const settings: ClusterSettings = {
  formatVersion: 1,
  clusterCidr: '10.244.0.0/16',
  serviceRange: '10.96.0.0/16',
  securePort: 6443,
  nodeName: 'n',
};

function withFolder(run: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'kn-data-dir-'));
  try {
    run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('openDataDir refuses a folder that holds other things, and changes nothing in it', () => {
  withFolder((folder) => {
    writeFileSync(join(folder, 'thesis.txt'), '');
    assert.throws(() => openDataDir(folder), /holds other things already, such as "thesis.txt"/);
    assert.deepEqual(readdirSync(folder), ['thesis.txt']);
  });
});

test('openDataDir says which folder cannot be made, and why', () => {
  const said = (path: string, why: RegExp) =>
    assert.throws(() => openDataDir(path), { name: 'UserError', message: why });
  said('/proc/x', /^Cannot use the data folder \/proc\/x: the file system of \/proc takes no new folders$/);
  withFolder((folder) => {
    writeFileSync(join(folder, 'file'), '');
    said(join(folder, 'file'), /^Cannot use the data folder \S+\/file: EEXIST: /);
  });
});

test('existingDataDir takes no folder for a cluster because of its names: /var has run and log, too', () => {
  withFolder((folder) => {
    for (const name of ['run', 'log', 'mail']) mkdirSync(join(folder, name));
    assert.equal(existingDataDir(folder), undefined);
  });
});

test('DataDir.remove leaves what is not its own', () => {
  withFolder((folder) => {
    const dataDir = openDataDir(join(folder, 'data'));
    dataDir.saveSettings(settings);
    writeFileSync(join(folder, 'data', 'notes.txt'), '');
    existingDataDir(join(folder, 'data'))?.remove();
    assert.deepEqual(readdirSync(join(folder, 'data')), ['notes.txt']);
  });
});

test('DataDir.clear keeps the log of a start that failed; reset finds it', () => {
  withFolder((folder) => {
    const dataDir = openDataDir(folder);
    assert.equal(dataDir.isNew(), true);
    dataDir.saveSettings(settings);
    writeFileSync(dataDir.logFile, 'why');
    dataDir.clear();
    assert.deepEqual(readdirSync(folder), ['log']);
    assert.notEqual(existingDataDir(folder), undefined);
  });
});

const broken: readonly [string, string, RegExp][] = [
  ['is not JSON', '{', /is not valid JSON/],
  ['is empty', '', /is not valid JSON/],
  ['is no mapping', 'null', /formatVersion undefined/],
  ['is newer', '{"formatVersion":2}', /formatVersion 2, this Kubernode knows 1/],
];
for (const [what, text, message] of broken) {
  test(`DataDir.settings refuses a file that ${what}`, () => {
    withFolder((folder) => {
      const dataDir = openDataDir(folder);
      writeFileSync(join(folder, 'cluster.json'), text);
      assert.throws(() => dataDir.settings(), message);
    });
  });
}

test('takeRole is for one process, and again for the next after its end', () => {
  withFolder((folder) => {
    const dataDir = openDataDir(folder);
    const release = takeRole(dataDir, 'server');
    assert.equal(holderOf(dataDir, 'server')?.pid, process.pid);
    assert.throws(() => takeRole(dataDir, 'server'), /in use by process \d+/);
    release();
    assert.equal(holderOf(dataDir, 'server'), undefined);
  });
});

test('takeRole takes over from a process that was killed, even if its number is used again', () => {
  withFolder((folder) => {
    const dataDir = openDataDir(folder);
    writeFileSync(join(folder, 'run', 'server.pid'), `${process.pid} 1\n`);
    takeRole(dataDir, 'server')();
    writeFileSync(join(folder, 'run', 'server.pid'), '');
    takeRole(dataDir, 'server')();
  });
});
