/**
 * How fast one API server answers over HTTPS/1.1: `node bench/api.ts [--seconds 3] [--clients 64]`. The server runs in a
 * process of its own, on SQLite with every write on disk.
 */
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, clients: { type: 'string', default: '64' } },
});
const seconds = Number(values.seconds);
const clients = Number(values.clients);
const directory = await mkdtemp(join(tmpdir(), 'kubernode-bench-'));
const startedMs = performance.now();
const child = fork(join(import.meta.dirname, 'api-server.ts'), [directory], { stdio: 'inherit' });
try {
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number));
    child.once('exit', (code) => reject(new Error(`the server ended with code ${code} before it was ready`)));
  });
  const rows = [{ what: 'process start to ready', value: `${Math.round(performance.now() - startedMs)} ms` }];
  const collection = '/api/v1/namespaces/default/configmaps';
  const body = (index: number) => JSON.stringify({ metadata: { name: `c-${index}` }, data: { key: 'v'.repeat(256) } });
  rows.push(await run('create ConfigMap', port, (index) => ({ method: 'POST', path: collection, body: body(index) })));
  rows.push(await run('get ConfigMap', port, () => ({ method: 'GET', path: `${collection}/c-1` })));
  rows.push(await run('list 500 ConfigMaps', port, () => ({ method: 'GET', path: `${collection}?limit=500` })));
  console.table(rows);
} finally {
  child.kill();
  await rm(directory, { recursive: true, force: true });
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** Every client sends its next request when the last one is answered. */
async function run(
  what: string,
  port: number,
  next: (index: number) => Request,
): Promise<{ what: string; value: string }> {
  const agent = new https.Agent({ keepAlive: true, maxSockets: clients, rejectUnauthorized: false });
  const endMs = performance.now() + seconds * 1000;
  let index = 0;
  let failed = 0;
  const latenciesMs: number[] = [];
  const client = async () => {
    while (performance.now() < endMs) {
      const sentMs = performance.now();
      const code = await send(agent, port, next((index += 1)));
      latenciesMs.push(performance.now() - sentMs);
      if (code >= 300) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  latenciesMs.sort((a, b) => a - b);
  const p99 = latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? 0;
  const perSecond = Math.round(latenciesMs.length / seconds);
  return { what, value: `${perSecond}/s, p99 ${p99.toFixed(1)} ms${failed ? `, ${failed} failed` : ''}` };
}

function send(agent: https.Agent, port: number, { method, path, body }: Request): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = body
      ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      : { accept: 'application/json' };
    const request = https.request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      response.on('data', () => {});
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end(body);
  });
}
