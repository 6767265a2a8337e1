import { writeSync } from 'node:fs';
import { openSqliteStore } from './sqlite.ts';

/**
 * The process that `kill.test.ts` kills: eight writers that tell each acknowledged write on standard output as
 * `key value revision`, while compactions go on. Arguments: the database, and the number of the run.
 */
const [path = '', run = ''] = process.argv.slice(2);
const store = await openSqliteStore({ path });

async function write(writer: number): Promise<void> {
  const key = `/k/${writer}`;
  for (let i = 1; ; i++) {
    const counter = Number(run) * 1_000_000 + i;
    const padding = 'x'.repeat(i % 2_000);
    const written = await store.write([
      { key, value: Buffer.from(`${counter} ${padding}`), expect: 'any' },
      { key: `/copy${key}`, value: Buffer.from(`${counter} copy`), expect: 'any' },
    ]);
    writeSync(1, `${key} ${counter} ${written.revision}\n`);
    if (writer === 0 && i % 20 === 0) void store.compact(written.revision - 10);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
