import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { metaValue, prepareDatabase } from './sqlite-schema.ts';

/** A database whose process ends after `steps` of its `exec`. */
class Interrupted extends DatabaseSync {
  readonly #steps: number;
  #done = 0;

  constructor(path: string, steps: number) {
    super(path);
    this.#steps = steps;
  }

  override exec(sql: string): void {
    if (this.#done === this.#steps) throw new Error('interrupted');
    this.#done += 1;
    super.exec(sql);
  }
}

test('prepareDatabase makes a new file whole, wherever another one was interrupted', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kubernode-schema-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  let steps = 0;
  for (let isWhole = false; !isWhole; steps += 1) {
    const path = join(folder, `${steps}.db`);
    const first = new Interrupted(path, steps);
    try {
      prepareDatabase(first, path);
      isWhole = true;
    } catch (error) {
      assert.equal((error as Error).message, 'interrupted');
    }
    first.close();
    const second = new DatabaseSync(path);
    prepareDatabase(second, path);
    assert.equal(metaValue(second, 'revision'), 1, `after ${steps} steps`);
    second.close();
  }
  assert.ok(steps > 1);
});

test('prepareDatabase takes no file that somebody else has marked, even without a table', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kubernode-schema-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'foreign.db');
  const database = new DatabaseSync(path);
  database.exec('pragma application_id = 7');
  assert.throws(() => prepareDatabase(database, path), /not one of kubernode/);
  database.close();
});
