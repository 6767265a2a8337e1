import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { run } from '../host/command.ts';
import { runtimeMessage, type OciRuntime } from './oci-runtime.ts';

export interface ConmonOptions {
  readonly path: string;
  readonly id: string;
  readonly name: string;
  /** Holds config.json; conmon leaves its sockets and pid files here. */
  readonly bundle: string;
  /** The exit code appears here as a file with the container's id. */
  readonly exitFolder: string;
  readonly logPath: string;
  readonly tty: boolean;
  readonly stdin: boolean;
  /** Standard input ends with the first client. */
  readonly stdinOnce: boolean;
  readonly oci: OciRuntime;
}

/**
 * Starts conmon for a container: it creates the container (its process waits for `start`), writes the log in the CRI
 * format, keeps the exit code, and outlives this process. Answers the process number; throws with the runtime's words.
 */
export async function createWithConmon(options: ConmonOptions): Promise<number> {
  const child = spawn(options.path, conmonArgs(options), {
    cwd: options.bundle,
    env: { PATH: process.env['PATH'], _OCI_SYNCPIPE: '3' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const failed = new Promise<never>((_, reject) => {
    child.on('error', (error) => reject(new Error(`start conmon: ${error.message}`)));
  });
  const words = readAll(child.stderr);
  const answer = await Promise.race([firstLine(child.stdio[3] as Readable), failed]);
  if (answer === undefined) throw new Error(`start conmon: ${(await words).trim() || 'it ended without an answer'}`);
  child.stderr?.destroy();
  child.unref();
  const { data, message = '' } = JSON.parse(answer) as { data: number; message?: string };
  if (data <= 0) throw new Error(runtimeMessage(message) || `the OCI runtime failed with code ${-data}`);
  return data;
}

function conmonArgs(options: ConmonOptions): string[] {
  const { bundle, oci } = options;
  const values: Readonly<Record<string, string>> = {
    '--api-version': '1',
    '--cid': options.id,
    '--cuuid': options.id,
    '--name': options.name,
    '--runtime': oci.path,
    '--runtime-arg': `--root=${oci.stateFolder}`,
    '--bundle': bundle,
    '--container-pidfile': join(bundle, 'pid'),
    '--conmon-pidfile': join(bundle, 'conmon.pid'),
    '--exit-dir': options.exitFolder,
    '--log-path': `k8s-file:${options.logPath}`,
    '--log-level': 'error',
  };
  return [
    ...Object.entries(values).map(([flag, value]) => `${flag}=${value}`),
    '--full-attach',
    '--no-sync-log',
    ...(options.tty ? ['-t'] : []),
    ...(options.stdin ? ['-i'] : []),
    ...(options.stdin && !options.stdinOnce ? ['--leave-stdin-open'] : []),
  ];
}

/** Makes conmon open its log file anew, after it was renamed. */
export async function reopenLog(bundle: string): Promise<void> {
  await control(bundle, '2 0 0');
}

export async function resizeTerminal(
  bundle: string,
  size: { readonly width: number; readonly height: number },
): Promise<void> {
  await control(bundle, `1 ${size.height} ${size.width}`);
}

/** The fifo blocks its writer while nobody reads: a shell takes that wait upon itself, for a bounded time. */
async function control(bundle: string, line: string): Promise<void> {
  await run('sh', ['-c', 'printf "%s\\n" "$1" > ctl', 'sh', line], { cwd: bundle, timeoutMs: 2000 });
}

export async function conmonPid(bundle: string): Promise<number | undefined> {
  const text = await readFile(join(bundle, 'conmon.pid'), 'utf8').catch(() => '');
  return text === '' ? undefined : Number(text);
}

function firstLine(stream: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('\n')) return;
      stream.destroy();
      resolve(text);
    });
    stream.on('end', () => resolve(text === '' ? undefined : text));
    stream.on('error', () => resolve(undefined));
  });
}

async function readAll(stream: Readable | null): Promise<string> {
  let text = '';
  try {
    for await (const chunk of stream ?? []) text += String(chunk);
  } catch {
    // Closed once conmon has answered.
  }
  return text;
}
