/** Databases that hold many objects from the start: creating them one by one would take longer than measuring. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@kubernode/store';
import { ask, makeNamespace } from './load.ts';
import { startOwnServer } from './server.ts';

export interface SeededData {
  readonly dataDir: string;
  readonly namespace: string;
  /** Adds ConfigMaps of names `c-first` to `c-(end - 1)`; no server may run. */
  add(first: number, end: number): Promise<void>;
}

const writtenTogether = 500;
const groups = 100;

/** A folder for `--data-dir`. Every object is a copy of one that a server made; `group` labels one of a hundred. */
export async function seededData(bytesEach: number): Promise<SeededData> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kubernode-seed-'));
  const server = await startOwnServer([], ['--data-dir', dataDir]);
  const namespace = await makeNamespace(server);
  const body = {
    metadata: { name: 'c-pattern', labels: { group: 'g-pattern' } },
    data: { key: 'v'.repeat(bytesEach) },
  };
  await ask(server, {
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    body: JSON.stringify(body),
  });
  await server.stop();
  const prefix = `/registry/core/configmaps/${namespace}/`;
  return {
    dataDir,
    namespace,
    async add(first, end) {
      const store = await openSqliteStore({ path: join(dataDir, 'state.db') });
      try {
        const pattern = Buffer.from((await store.get(`${prefix}c-pattern`))!.value).toString();
        const make = (index: number) => {
          const value = pattern.replaceAll('c-pattern', `c-${index}`).replaceAll('g-pattern', `g-${index % groups}`);
          return { key: `${prefix}c-${index}`, value: Buffer.from(value), expect: 'any' as const };
        };
        for (let at = first; at < end; at += writtenTogether) {
          await store.write(
            Array.from({ length: Math.min(writtenTogether, end - at) }, (_, index) => make(at + index)),
          );
        }
      } finally {
        await store.close();
      }
    },
  };
}
