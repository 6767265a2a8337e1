import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { AddressPool } from './ipam.ts';

function withFolder(run: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'kubernode-ipam-'));
  try {
    run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('AddressPool gives the same sandbox the same address, and others the next', () =>
  withFolder((folder) => {
    const pool = new AddressPool('10.244.0.0/24', folder);
    assert.equal(pool.gateway, '10.244.0.1');
    assert.equal(pool.allocate('a'), '10.244.0.2');
    assert.equal(pool.allocate('a'), '10.244.0.2');
    assert.equal(pool.allocate('b'), '10.244.0.3');
  }));

test('AddressPool does not hand out at once what was just released', () =>
  withFolder((folder) => {
    const pool = new AddressPool('10.244.0.0/24', folder);
    pool.allocate('a');
    pool.release('a');
    assert.equal(pool.allocate('b'), '10.244.0.3');
  }));

test('AddressPool remembers after a restart', () =>
  withFolder((folder) => {
    new AddressPool('10.244.0.0/24', folder).allocate('a');
    const again = new AddressPool('10.244.0.0/24', folder);
    assert.equal(again.addressOf('a'), '10.244.0.2');
    assert.equal(again.allocate('b'), '10.244.0.3');
  }));

test('AddressPool says when the range is used up', () =>
  withFolder((folder) => {
    const pool = new AddressPool('10.244.0.0/29', folder);
    for (const id of ['a', 'b', 'c', 'd', 'e']) pool.allocate(id);
    assert.throws(() => pool.allocate('f'), /no pod address is left in 10\.244\.0\.0\/29 \(5 in use\)/);
    pool.release('c');
    assert.equal(pool.allocate('f'), '10.244.0.4');
  }));
