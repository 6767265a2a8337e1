import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { CriError } from '@kubernode/api/cri';
import { identifyProcess, signalProcess } from '../host/processes.ts';
import { runAny } from '../host/command.ts';
import { readJson, writeJson } from '../host/files.ts';
import { type OciRuntime, runtimeMessage } from './oci-runtime.ts';

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

export interface ExecStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  /** Not used with a terminal, which has one output. */
  readonly stderr?: Writable | undefined;
  readonly onResize?: ((listener: (size: TerminalSize) => void) => void) | undefined;
}

export interface ExecOptions {
  readonly oci: OciRuntime;
  readonly containerId: string;
  /** Where the pid file goes. */
  readonly bundle: string;
  readonly command: readonly string[];
  readonly tty: boolean;
  readonly streams: ExecStreams;
  /** Kills the process. */
  readonly signal?: AbortSignal | undefined;
}

/** What of the runtime's own words is kept for an error. */
const wordsMax = 4096;

/**
 * Runs a command in a container and answers its exit code once its output is written. Throws CriError where it could not
 * be started. Killed, with its process in the container, when the signal aborts.
 */
export async function execInContainer(options: ExecOptions): Promise<number> {
  const base = join(options.bundle, `exec-${randomBytes(6).toString('hex')}`);
  const [processFile, pidFile] = [`${base}.json`, `${base}.pid`];
  await writeExecProcess(processFile, options);
  const args = options.oci.execArgs(options.containerId, { processFile, pidFile });
  const child = options.tty
    ? spawnOnTerminal(options.oci.path, args)
    : spawn(options.oci.path, args, { stdio: 'pipe' });
  const words = connect(child, options);
  const kill = () => void killExec(child, pidFile);
  options.signal?.addEventListener('abort', kill, { once: true });
  if (options.signal?.aborted) kill();
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exitCode, signal) => resolve(exitCode ?? (signal === 'SIGKILL' ? 137 : 143)));
    });
    const started = (await readFile(pidFile, 'utf8').catch(() => '')) !== '';
    if (!started && !options.signal?.aborted) {
      const message = runtimeMessage(words()) || `the OCI runtime ended with code ${code}`;
      throw new CriError('Unknown', `failed to exec in container: OCI runtime exec failed: ${message}`);
    }
    return code;
  } finally {
    options.signal?.removeEventListener('abort', kill);
    await Promise.all([processFile, pidFile].map((file) => rm(file, { force: true })));
  }
}

/**
 * The command as the container's own process would run it: its user, groups, environment, capabilities, privileges.
 * Without that file crun 1.8 would take root, and forget `noNewPrivileges`.
 */
async function writeExecProcess(file: string, { bundle, command, tty }: ExecOptions): Promise<void> {
  const spec = await readJson<{ process: Record<string, unknown> }>(join(bundle, 'config.json'));
  if (!spec) throw new CriError('Unknown', `failed to exec in container: no configuration in "${bundle}"`);
  await writeJson(file, { ...spec.process, args: command, terminal: tty });
}

/**
 * `script` (util-linux) gives the runtime a terminal of its own and ends with the command's code; the shell in between
 * says on descriptor 3 which terminal it is.
 */
function spawnOnTerminal(path: string, args: readonly string[]): ChildProcess {
  const line = `tty >&3; exec 3>&-; exec ${[path, ...args].map(quote).join(' ')}`;
  return spawn('script', ['-q', '-e', '-f', '-E', 'never', '-c', line, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, SHELL: '/bin/sh' },
  });
}

function connect(child: ChildProcess, { streams, tty }: ExecOptions): () => string {
  let words = '';
  // The runtime's own last words come where the command's would, before any of them.
  const isOwn = (chunk: Buffer) => {
    if (words.length >= wordsMax) return false;
    const text = chunk.toString();
    const first = words === '' || words.startsWith('time="');
    words += text;
    return first && text.startsWith('time="') && text.includes('level=error msg="exec failed');
  };
  const forward = (source: Readable | null, target: Writable | undefined, mayBeOwn: boolean) => {
    source?.on('data', (chunk: Buffer) => {
      if ((mayBeOwn && isOwn(chunk)) || !target || target.destroyed) return;
      if (target.write(chunk)) return;
      source.pause();
      target.once('drain', () => source.resume());
    });
    target?.on('close', () => source?.resume());
  };
  forward(child.stdout, streams.stdout, tty);
  forward(child.stderr, tty ? undefined : streams.stderr, !tty);
  child.stdin?.on('error', () => {});
  if (streams.stdin) streams.stdin.pipe(child.stdin as Writable);
  else if (!tty) child.stdin?.end();
  if (tty && streams.onResize) followSizes(child, streams.onResize);
  return () => words;
}

/** Sets the terminal's size as soon as there is a terminal, and whenever a new one comes; the runtime passes it on. */
function followSizes(child: ChildProcess, onResize: NonNullable<ExecStreams['onResize']>): void {
  let terminal: string | undefined;
  let size: TerminalSize | undefined;
  const apply = () => {
    if (!terminal || !size || size.width <= 0 || size.height <= 0) return;
    const dimensions = ['rows', String(size.height), 'cols', String(size.width)];
    // A terminal that is gone by now needs no size.
    runAny('stty', ['-F', terminal, ...dimensions]).catch(() => {});
  };
  (child.stdio[3] as Readable | null)?.once('data', (chunk: Buffer) => {
    terminal = chunk.toString().trim();
    apply();
  });
  onResize((next) => {
    size = next;
    apply();
  });
}

/**
 * Killing the runtime's client alone would leave the process in the container behind. The client ends by itself once it
 * has reaped that process: were it killed, too, the zombie would hold up the end of the container's process namespace.
 */
async function killExec(child: ChildProcess, pidFile: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  const inside = pid > 0 ? await identifyProcess(pid) : undefined;
  if (inside) await signalProcess(inside, 9);
  else child.kill('SIGKILL');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
