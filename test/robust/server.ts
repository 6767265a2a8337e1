import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { until } from '../e2e/process.ts';
import type { Holdings, VictimOptions } from './victim-options.ts';

export interface Answer {
  readonly code: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

interface Message {
  readonly id?: number;
  readonly url?: string;
  readonly holdings?: Holdings;
}

/** What an attack must not keep others from. */
const getsMin = 50;
/** What a server may grow by under an attack that does not need more. */
const growthBytesMax = 128 * 1024 * 1024;

/** A connection each. */
const ownConnection = new Agent({ rejectUnauthorized: false });

/** A server under attack, seen from outside. */
export class Victim {
  readonly url: URL;
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, (answer: Message) => void>();
  #nextId = 0;
  #errors = '';

  constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = new URL(url);
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    child.on('message', (message: Message) => {
      this.#answers.get(message.id!)?.(message);
      this.#answers.delete(message.id!);
    });
    child.on('exit', () => {
      for (const answer of this.#answers.values()) answer({});
    });
  }

  get port(): number {
    return Number(this.url.port);
  }

  /** Throws where the server has ended. */
  async holdings(): Promise<Holdings> {
    const { holdings } = await this.#ask('holdings');
    assert.ok(holdings, `the server has ended: ${this.#errors}`);
    return holdings;
  }

  /** One ordinary request, on a connection of its own. */
  send(method: string, path: string, body?: object, token = 'admin', agent = ownConnection): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const type = body ? { 'content-type': 'application/json' } : {};
      const headers = { authorization: `Bearer ${token}`, ...type };
      const sent = request(new URL(path, this.url), { method, headers, agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('error', reject);
        answer.on('end', () => resolve({ code: answer.statusCode ?? 0, text, headers: answer.headers }));
      });
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  }

  async create(path: string, body: object, agent?: Agent): Promise<void> {
    const { code, text } = await this.send('POST', path, body, 'admin', agent);
    assert.equal(code, 201, text);
  }

  /** The sum of a metric's series. */
  async metric(name: string): Promise<number> {
    const { text } = await this.send('GET', '/metrics');
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** Lets an attack go on while others ask: they are answered, and afterwards nothing of it is left. */
  async survives(attack: () => Promise<unknown>, growthMax = growthBytesMax): Promise<void> {
    const before = await this.holdings();
    await Promise.all([attack(), this.#serves()]);
    await this.#serves();
    await this.released();
    const { peakRssBytes } = await this.holdings();
    assert.ok(peakRssBytes - before.peakRssBytes < growthMax, `it grew by ${peakRssBytes - before.peakRssBytes} bytes`);
    assert.equal(this.#errors, '');
  }

  /** Resolves when no connection is there, no watch, and no seat is taken. */
  async released(): Promise<void> {
    let left: Record<string, number> = {};
    const isFree = async () => {
      left = {
        sockets: (await this.holdings()).sockets,
        watches: await this.metric('apiserver_longrunning_requests'),
        // One is the question itself.
        executing: (await this.metric('apiserver_flowcontrol_current_executing_requests')) - 1,
        waiting: await this.metric('apiserver_flowcontrol_current_inqueue_requests'),
      };
      return Object.values(left).every((count) => count === 0);
    };
    await until('release of all that the attack took', isFree, 60_000, () => JSON.stringify(left));
  }

  /** Resolves with the exit code. */
  async stop(): Promise<number> {
    const exited = once(this.#child, 'exit');
    await this.#ask('stop');
    const [code] = (await exited) as [number];
    return code;
  }

  async #serves(): Promise<void> {
    for (let count = 0; count < getsMin; count += 1) {
      assert.equal((await this.send('GET', '/api/v1/namespaces/default')).code, 200);
    }
  }

  #ask(ask: 'holdings' | 'stop'): Promise<Message> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.#child.send({ id, ask }, (error) => error && resolve({}));
    });
  }
}

/** Stop it with `stop`. */
export async function startVictim(options: VictimOptions = {}): Promise<Victim> {
  const program = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, 'victim.ts'),
    JSON.stringify(options),
  ];
  // Node raises the limit that it may: both must be lowered.
  const limited = options.filesMax
    ? ['sh', '-c', `ulimit -n ${options.filesMax}; exec "$@"`, 'sh', ...program]
    : program;
  const child = spawn(limited[0]!, limited.slice(1), { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [Message];
  assert.ok(message?.url, 'the server did not start');
  return new Victim(child, message.url);
}
