import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string | Uint8Array;
  /** The command is killed after this time; 0 waits for ever. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface CommandResult {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** 128 + the signal's number where a signal ended it, as shells say. */
  readonly code: number;
}

const timeoutMsDefault = 60_000;
/** What is kept of each output stream. */
const outputBytesMax = 16 * 1024 * 1024;

/** A command that could not be started or answered with another code than 0; the message carries its last words. */
export class CommandError extends Error {
  readonly code: number;

  constructor(command: string, code: number, detail: string) {
    super(`${command}: ${detail.trim() || `exit code ${code}`}`);
    this.name = 'CommandError';
    this.code = code;
  }
}

/** Runs a command to its end and throws `CommandError` unless it answers 0. */
export async function run(command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const result = await runAny(command, args, options);
  if (result.code !== 0)
    throw new CommandError(command, result.code, result.stderr.toString() || result.stdout.toString());
  return result.stdout.toString();
}

/** Runs a command to its end, whatever its code. Throws `CommandError` where it cannot be started or takes too long. */
export function runAny(command: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { timeoutMs = timeoutMsDefault } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    let late = false;
    const timer = timeoutMs > 0 ? setTimeout(() => ((late = true), child.kill('SIGKILL')), timeoutMs) : undefined;
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input);
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (error.name === 'AbortError') reject(error);
      else reject(new CommandError(command, 127, error.code === 'ENOENT' ? 'command not found' : error.message));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (late) reject(new CommandError(command, 124, `no end after ${timeoutMs} ms`));
      else resolve({ stdout: stdout(), stderr: stderr(), code: code ?? 128 + signalNumber(signal) });
    });
  });
}

function collect(stream: NodeJS.ReadableStream | null): () => Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (length < outputBytesMax) chunks.push(chunk);
    length += chunk.length;
  });
  return () => Buffer.concat(chunks).subarray(0, outputBytesMax);
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === 'SIGKILL' ? 9 : signal === 'SIGTERM' ? 15 : 1;
}
