import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { substitute, type Impersonated, type Step } from './scenario.ts';

export interface Answer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly text: string;
  /** Parsed; undefined for what is no JSON. */
  body: unknown;
  during?: readonly unknown[];
}

interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: Buffer | undefined;
  readonly onOpen?: ((answer: IncomingMessage) => void) | undefined;
}

const answerMsMax = 75_000;

/** Plain HTTP to one server. */
export class Client {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  send({ method, path, headers, body, onOpen }: Outgoing): Promise<Answer> {
    const { hostname, port } = this.#url;
    return new Promise((resolve, reject) => {
      const options = { host: hostname, port, method, path, headers, agent: this.#agent };
      const sent = request(options, (answer) => {
        const chunks: Buffer[] = [];
        onOpen?.(answer);
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const raw = Buffer.concat(chunks);
          const text = raw.toString('utf8');
          resolve({ code: answer.statusCode ?? 0, headers: answer.headers, raw, text, body: json(text) });
        });
      });
      sent.on('error', reject);
      sent.setTimeout(answerMsMax, () => sent.destroy(new Error('no answer')));
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A step as it goes over the wire. */
export function outgoingOf(step: Step, variables: Map<string, string>, token: string): Outgoing {
  if (step.pad) variables.set('pad', 'x'.repeat(step.pad));
  const headers: Record<string, string | number> = { 'user-agent': 'scenarios/1.0', accept: 'application/json' };
  const bearer = substitute(step.token ?? token, variables);
  if (bearer) headers['authorization'] = `Bearer ${bearer}`;
  if (step.as) Object.assign(headers, impersonation(substitute(step.as, variables)));
  let body: Buffer | undefined;
  if (step.body !== undefined) {
    const filled = substitute(step.body, variables);
    body = Buffer.from(typeof filled === 'string' ? filled : JSON.stringify(filled));
    headers['content-type'] = 'application/json';
    headers['content-length'] = body.length;
  }
  for (const [name, value] of Object.entries(substitute(step.headers ?? {}, variables))) {
    if (value === null) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = value;
  }
  return { method: step.method, path: substitute(step.path, variables), headers, body };
}

function impersonation(as: string | Impersonated): Record<string, string> {
  const { user, groups, uid, extra = {} }: Impersonated = typeof as === 'string' ? { user: as } : as;
  const headers: Record<string, string | readonly string[]> = {};
  if (user !== undefined) headers['impersonate-user'] = user;
  if (groups) headers['impersonate-group'] = groups;
  if (uid) headers['impersonate-uid'] = uid;
  for (const [key, value] of Object.entries(extra)) headers[`impersonate-extra-${key}`] = value;
  return headers as Record<string, string>;
}
