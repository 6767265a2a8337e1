import { spawn } from 'node:child_process';

/** What a kernel tool said when it failed. */
export class CommandError extends Error {
  readonly exitCode: number | null;

  constructor(command: string, exitCode: number | null, stderr: string, options?: ErrorOptions) {
    super(`${command} failed (exit code ${exitCode}): ${stderr.trim().slice(0, 2000)}`, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a tool (`ip`, `nft`, `conntrack`, a CNI plugin) and answers its standard output. Throws CommandError. */
export type RunCommand = (command: string, args: readonly string[], options?: CommandOptions) => Promise<string>;

export const runCommand: RunCommand = (command, args, { input = '', env } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'pipe', ...(env ? { env: { ...process.env, ...env } } : {}) });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => {}); // The tool may end before it has read all: its exit code tells.
    child.on('error', (cause) => reject(new CommandError(command, null, cause.message, { cause })));
    child.on('close', (code) => {
      if (code === 0) resolve(stdout);
      else reject(new CommandError([command, ...args].join(' '), code, stderr || stdout));
    });
    child.stdin.end(input);
  });
