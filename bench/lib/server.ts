/** The servers that are measured: our own as users run it, alone in a process, or one that runs already. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from './connection.ts';

/** A server to measure. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  /** Of the processes whose memory counts; none for a server elsewhere. */
  readonly pids: readonly number[];
}

export interface OwnServer extends Target {
  /** From the start of the process to the first answer of /readyz. */
  readonly readyMs: number;
  readonly dataDir: string;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '..', '..');
const readyTimeoutMs = 300_000;
const pollMs = 5;

/** `kubernode apiserver` on SQLite, with TLS, RBAC and admission; where there are flags for Node, from its sources. */
export async function startOwnServer(
  nodeFlags: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'kubernode-bench-'));
  const token = 'bench-token';
  await writeFile(join(folder, 'tokens.csv'), `${token},admin,1,"system:masters"\n`);
  const port = await freePort();
  const dataDir = join(folder, 'data');
  const serverFlags = ['--data-dir', dataDir, '--secure-port', String(port), ...flags];
  const startedMs = performance.now();
  const command = [...commandWith(nodeFlags), 'apiserver', ...serverFlags];
  const child = spawn('sh', [...command, '--token-auth-file', join(folder, 'tokens.csv')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const target = { name: 'kubernode', url: `https://127.0.0.1:${port}`, token, pids: [child.pid!] };
  await untilReady(target, startedMs + readyTimeoutMs);
  return {
    ...target,
    dataDir,
    readyMs: performance.now() - startedMs,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** As users start it, or Node with more flags than theirs. Both replace the shell, so that the process is the server's. */
function commandWith(nodeFlags: readonly string[]): string[] {
  if (nodeFlags.length === 0) return [join(root, 'kubernode')];
  return [join(root, 'tools/with-node.sh'), ...nodeFlags, join(root, 'packages/cli/main.ts')];
}

async function untilReady(target: Target, untilMs: number): Promise<void> {
  while (performance.now() < untilMs) {
    const connection = new Connection(target);
    try {
      if ((await connection.send({ method: 'GET', path: '/readyz' })).code === 200) return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    } finally {
      connection.close();
    }
  }
  throw new Error(`the server at ${target.url} is not ready after ${readyTimeoutMs} ms`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** As the kernel counts it, of all the server's processes together; undefined where they are not on this machine. */
export function residentMB({ pids }: Target, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number | undefined {
  if (pids.length === 0 || process.platform !== 'linux') return undefined;
  let kilobytes = 0;
  for (const pid of pids) {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    kilobytes += Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  }
  return Math.round(kilobytes / 1024);
}

/** Milliseconds that the server's processes have computed until now. */
export function computedMs({ pids }: Target): number | undefined {
  if (pids.length === 0 || process.platform !== 'linux') return undefined;
  const tickMs = 10;
  let ticks = 0;
  for (const pid of pids) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * tickMs;
}
