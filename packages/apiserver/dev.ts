/**
 * An API server alone, for trying things out and for replaying recorded scenarios:
 * `node packages/apiserver/dev.ts [--port 0]`. Memory store, plain HTTP on loopback, one administrator whose token is
 * `admintoken`; everybody else is refused.
 */
import { parseArgs } from 'node:util';
import { silentLogger, systemClock, type Logger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { StatusError } from '@kubernode/api';
import { startApiServer } from './server.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '8001' } } });
const administrator = { name: 'admin', uid: '1', groups: ['system:masters', 'system:authenticated'] };
const log: Logger = {
  ...silentLogger,
  error: (message, fields) => console.error(message, fields),
  warn: (message, fields) => console.error(message, fields),
  child: () => log,
};

const server = await startApiServer({
  store: memoryStore(),
  clock: systemClock,
  log,
  random: Math.random,
  listen: { host: '127.0.0.1', port: Number(values.port) },
  runtimeConfig: { 'api/all': true },
  security: () => ({
    authenticate({ headers }) {
      if (headers['authorization'] === 'Bearer admintoken') return administrator;
      if (headers['authorization']) throw StatusError.of('Unauthorized', 'Unauthorized');
      return { name: 'system:anonymous', groups: ['system:unauthenticated'] };
    },
    authorize: (user) => (user.groups.includes('system:masters') ? { allowed: true } : { allowed: false, reason: '' }),
    admission: [],
  }),
});
const client = server.transport('system:admin');
for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
  await client.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } });
}
console.log(server.url);
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)));
setInterval(() => {}, 1 << 30);
