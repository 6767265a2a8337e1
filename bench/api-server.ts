/** The server of `api.ts`: an API server alone on SQLite in the given folder; tells its port to the parent. */
import { join } from 'node:path';
import { createPki, startApiServer } from '@kubernode/apiserver';
import { silentLogger, systemClock } from '@kubernode/machinery';
import { openSqliteStore } from '@kubernode/store';

const [folder = ''] = process.argv.slice(2);
const { serving, clusterCa } = createPki({ clock: systemClock });
const server = await startApiServer({
  store: await openSqliteStore({ path: join(folder, 'state.db') }),
  clock: systemClock,
  log: silentLogger,
  random: Math.random,
  listen: {
    host: '127.0.0.1',
    port: 0,
    tls: { certificate: serving.certificate, key: serving.key, clientCa: clusterCa.certificate },
  },
});
process.send?.(Number(new URL(server.url ?? '').port));
