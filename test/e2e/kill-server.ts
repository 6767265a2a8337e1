/** `kubernode apiserver` as users run it, on SQLite with TLS, started and killed again on one data folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { http1, type Place } from './kill-api.ts';

export const program = join(import.meta.dirname, '../../packages/cli/main.ts');
const readyMsMax = 120_000;
const pollMs = 20;

export interface KillableOptions {
  /** Holds the data folder `data`; the test's to make and remove. */
  readonly folder: string;
  readonly port: number;
  /** What runs the server: a program that its command line is handed to, such as strace. */
  readonly under?: readonly string[];
}

export class KillableServer {
  readonly place: Place;
  readonly dataDir: string;
  readonly #options: KillableOptions;
  #child: ChildProcess | undefined;
  #output = '';
  #isUp = false;
  #up = Promise.withResolvers<void>();

  constructor(options: KillableOptions) {
    this.#options = options;
    this.place = { port: options.port, token: 'killtoken' };
    this.dataDir = join(options.folder, 'data');
    writeFileSync(join(options.folder, 'tokens.csv'), `${this.place.token},admin,1,"system:masters"\n`);
  }

  /** What it has written since it was started. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  /** Resolves at once while it is up, otherwise when it is up again. */
  whenUp(): Promise<void> {
    return this.#up.promise;
  }

  /** Without waiting until it answers. */
  spawn(flags: readonly string[] = []): void {
    const { folder, port, under = [] } = this.#options;
    const args = ['apiserver', '--data-dir', this.dataDir, '--secure-port', String(port), '--bind-address=127.0.0.1'];
    args.push('--token-auth-file', join(folder, 'tokens.csv'), ...flags);
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', program, ...args];
    const [command = '', ...rest] = [...under, ...node];
    this.#output = '';
    // Node's test runner hands its own reporter down to Node processes that inherit this.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined, KUBECONFIG: join(folder, 'kubeconfig') };
    const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], env });
    const keep = (text: string) => (this.#output += text);
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    this.#child = child;
  }

  async start(flags: readonly string[] = []): Promise<void> {
    this.spawn(flags);
    await this.ready();
  }

  async ready(): Promise<void> {
    const untilMs = performance.now() + readyMsMax;
    while (performance.now() < untilMs) {
      if (this.#child?.exitCode !== null) break;
      const api = http1(this.place);
      const answer = await api.send({ method: 'GET', path: '/readyz' }).catch(() => undefined);
      api.close();
      if (answer?.code === 200) {
        this.#isUp = true;
        this.#up.resolve();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    throw new Error(`the server is not ready (exit code ${this.#child?.exitCode}):\n${this.#output}`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Resolves with its exit code when it has ended. */
  async ended(): Promise<number | null> {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child?.exitCode ?? null;
  }

  async kill(): Promise<void> {
    // Who waits for it already goes on waiting.
    if (this.#isUp) this.#up = Promise.withResolvers();
    this.#isUp = false;
    this.signal('SIGKILL');
    await this.ended();
  }
}
