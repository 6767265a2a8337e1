/** The whole server of production, and what every answer of it must be. */
import { createPki, networkTransport, startApiServer, withSecurity } from '@kubernode/apiserver';
import { seededRandom, silentLogger, systemClock, type Random } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import type { TestContext } from 'node:test';
import { Client, type Answer } from '../scenarios/client.ts';

/** `admin` may do anything, `editor` edits the namespace default, `nobody` may do nothing. */
export const users = ['admin', 'editor', 'nobody'] as const;
export type UserName = (typeof users)[number];

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Of the body; default JSON. A body that is no text and no bytes is written as JSON. */
  readonly type?: string;
  readonly accept?: string;
  readonly user?: UserName;
  readonly headers?: Readonly<Record<string, string>>;
}

const failureCharactersMax = 3_000;

/** A server, what it answered so far, and what was wrong with that. */
export class Target {
  readonly counts = new Map<number, number>();
  readonly failures: string[] = [];
  /** Said of what fails, so that it can be sent again. */
  hint = '';
  readonly url: string;
  readonly #client: Client;

  constructor(url: string) {
    this.url = url;
    this.#client = new Client(url);
  }

  /** Sends, and notes an answer that no request may get: an internal error, or a refusal without a reason. */
  async send({ method, path, body, type, accept, user = 'admin', headers }: Sent): Promise<Answer> {
    const bytes = bytesOf(body);
    const asked = `${method} ${path} (${type ?? 'application/json'})`;
    const sending = this.#client.send({
      method,
      path,
      body: bytes,
      headers: {
        authorization: `Bearer ${user}`,
        ...(bytes && { 'content-type': type ?? 'application/json', 'content-length': bytes.length }),
        ...(accept && { accept }),
        ...headers,
      },
    });
    const answer = await sending.catch((error: unknown) => {
      throw new Error(`${this.hint}: ${asked}: ${String(error)}; sent ${shown(bytes)}`, { cause: error });
    });
    this.counts.set(answer.code, (this.counts.get(answer.code) ?? 0) + 1);
    const wrong = wrongWith(answer, accept);
    if (wrong) this.fail(`${asked}: ${wrong}; sent ${shown(bytes)}`);
    return answer;
  }

  fail(what: string): void {
    this.failures.push(`${this.hint}: ${what.slice(0, failureCharactersMax)}`);
  }

  close(): void {
    this.#client.close();
  }
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

const shown = (bytes: Buffer | undefined) => (bytes ? bytes.subarray(0, 400).toString('utf8') : 'nothing');

function wrongWith({ code, text, body }: Answer, accept = 'application/json'): string | undefined {
  if (code < 400) return undefined;
  const status = body as { kind?: string; reason?: string } | undefined;
  const hasReason = !accept.includes('json') || (status?.kind === 'Status' && status.reason);
  const isPlain = code === 404 || code === 431 || code === 400;
  if (code >= 500 || (!hasReason && !isPlain)) return `${code} ${text.slice(0, 300)}`;
  return /\.ts:\d+:\d/.test(text) ? `a stack trace: ${text.slice(0, 300)}` : undefined;
}

const pki = createPki({ clock: systemClock });
const kubeletClient = pki.client('kube-apiserver-kubelet-client');

/** A server with security and admission, in a namespace where pods may be; stopped with the test. */
export async function startTarget(context: TestContext, seed: number): Promise<Target> {
  const random: Random = seededRandom(seed);
  let target: Target | undefined;
  const log = {
    ...silentLogger,
    error: (text: string, fields?: object) => target?.fail(`an error was logged: ${text} ${JSON.stringify(fields)}`),
  };
  const common = { clock: systemClock, log, random };
  const user = (name: string, ...groups: string[]) => [name, { name, uid: name, groups }] as const;
  const server = await startApiServer({
    store: memoryStore(),
    ...common,
    runtimeConfig: { 'api/all': true },
    featureGates: { CBORServingAndStorage: true },
    listen: { host: '127.0.0.1', port: 0 },
    ...withSecurity({
      ...common,
      serviceAccountSigningKey: pki.serviceAccountKey,
      clientCa: pki.clusterCa.certificate,
      tokens: new Map([user('admin', 'system:masters'), user('editor'), user('nobody')]),
      serviceRanges: ['10.96.0.0/16'],
      serviceAddress: '10.96.0.1',
      kubeletTransport: networkTransport({
        kubeletCa: pki.clusterCa.certificate,
        clientCertificate: kubeletClient.certificate,
        clientKey: kubeletClient.key,
      }),
      endpoint: () => ({ address: '127.0.0.1', port: 6443 }),
    }),
  });
  const made = new Target(server.url!);
  context.after(async () => {
    made.close();
    await server.stop();
  });
  const create = (path: string, body: object) => made.send({ method: 'POST', path, body });
  await create('/api/v1/namespaces', { metadata: { name: 'default' } });
  await create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await create('/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
    metadata: { name: 'editor' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'editor' }],
  });
  made.counts.clear();
  target = made;
  return made;
}
