import { spawn } from 'node:child_process';

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code; 128 + signal's number is told by the shell, -1 stands for an end by signal or timeout. */
  readonly code: number;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** A program that runs longer is killed, and its outcome says so. */
  readonly timeoutMs?: number;
}

export interface RunningProcess {
  readonly outcome: Promise<Outcome>;
  stdout(): string;
  stderr(): string;
  write(text: string): void;
  closeInput(): void;
  signal(name: NodeJS.Signals): void;
  /** Resolves when the standard output or error matches; throws with what there is if it does not in time. */
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<void>;
  /** Kills it if it still runs. */
  end(): Promise<Outcome>;
}

const defaultTimeoutMs = 60_000;
const checkMs = 50;

/** Runs a program to its end. */
export async function runProcess(command: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  const running = startProcess(command, args, options);
  if (options.stdin !== undefined) running.write(options.stdin);
  running.closeInput();
  const timer = setTimeout(() => running.signal('SIGKILL'), options.timeoutMs ?? defaultTimeoutMs);
  const outcome = await running.outcome;
  clearTimeout(timer);
  return outcome;
}

/** Starts a program; its output is collected. */
export function startProcess(command: string, args: readonly string[], options: RunOptions): RunningProcess {
  const child = spawn(command, args, { env: options.env, cwd: options.cwd, stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  // A program that ends before it has read everything is no failure of the test.
  child.stdin.on('error', () => {});
  const outcome = new Promise<Outcome>((resolve) => {
    child.on('error', (error) => resolve({ ...output, stderr: error.message, code: -1 }));
    child.on('close', (code) => resolve({ ...output, code: code ?? -1 }));
  });
  return {
    outcome,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    write: (text) => void child.stdin.write(text),
    closeInput: () => void child.stdin.end(),
    signal: (name) => void child.kill(name),
    waitFor: (pattern, timeoutMs) =>
      until(
        `output matching ${pattern}`,
        () => pattern.test(output.stdout) || pattern.test(output.stderr),
        timeoutMs,
        () => `${output.stdout}${output.stderr}`,
      ),
    end() {
      child.kill('SIGKILL');
      return outcome;
    },
  };
}

/** Asks until the answer is yes. Throws with `describe()` when it stays no. */
export async function until(
  what: string,
  isDone: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
  describe: () => string | Promise<string> = () => '',
): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  while (!(await isDone())) {
    if (Date.now() > deadlineMs) throw new Error(`No ${what} after ${timeoutMs} ms. ${await describe()}`);
    await new Promise((done) => setTimeout(done, checkMs));
  }
}
