/** Clients that look at few ConfigMaps and change them, over HTTP/2. */
import assert from 'node:assert/strict';
import type { ClientHttp2Session } from 'node:http2';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { seededRandom, type Random } from '@kubernode/machinery';

export const path = '/api/v1/namespaces/default/configmaps';
const names = ['a', 'b', 'c'];

/** A connection, and who asks. */
export interface Api {
  readonly on: ClientHttp2Session;
  readonly token: string;
}

type Data = Readonly<Record<string, string>>;
export type Change = (before: Data) => Data;

export interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly ConfigMap[];
}

export interface Event {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ConfigMap;
}

/** The object as it is now, or the Status of a deletion, which says whom it removed. */
export type Answer = ConfigMap & { readonly details?: { readonly uid: string } };

/** Hears of everything that was answered with success. */
export interface Listener {
  noteList(list: List): void;
  noteChange(answer: Answer, change: Change): void;
}

interface Asked {
  readonly method: string;
  readonly at: string;
  readonly body: object;
  readonly type?: string;
  /** What it may be answered. */
  readonly codes: readonly number[];
  readonly change: Change;
}

const same: Change = (before) => before;
const count: Change = (before) => ({ ...before, count: `${Number(before['count'] ?? 0) + 1}` });

/** Something to do about an object that was seen, or was not there. The key is the client's own. */
function chosen(random: Random, name: string, key: string, value: string, seen: ConfigMap | undefined): Asked {
  const at = `${path}/${name}`;
  const patch = { method: 'PATCH', at, codes: [200, 404] };
  const data = { [key]: value };
  const put: Change = (before) => ({ ...before, ...data });
  switch (Math.floor(random() * (seen ? 8 : 2))) {
    case 0: {
      const held = random() < 0.3 ? { finalizers: ['example.com/held'] } : {};
      return {
        method: 'POST',
        at: path,
        body: { metadata: { name, ...held }, data },
        codes: [201, 409],
        change: () => data,
      };
    }
    case 1: {
      const applied = { [`${key}-applied`]: value };
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: applied };
      const change: Change = (before) => ({ ...before, ...applied });
      return {
        method: 'PATCH',
        at: `${at}?fieldManager=${key}`,
        body,
        type: 'apply-patch+yaml',
        codes: [200, 201],
        change,
      };
    }
    case 2:
      return { ...patch, body: { data }, type: 'merge-patch+json', change: put };
    case 3:
      return { ...patch, body: [{ op: 'add', path: `/data/${key}`, value }], type: 'json-patch+json', change: put };
    case 4:
      return { ...patch, body: { metadata: { finalizers: null } }, type: 'merge-patch+json', change: same };
    case 5:
      return { method: 'PUT', at, body: { metadata: { name }, data }, codes: [200, 404], change: () => data };
    case 6: {
      const body = { ...seen, data: count(seen?.data ?? {}) };
      return { method: 'PUT', at, body, codes: [200, 404, 409], change: count };
    }
    default: {
      const preconditions = { uid: seen?.metadata.uid };
      return { method: 'DELETE', at, body: { preconditions }, codes: [200, 404, 409], change: same };
    }
  }
}

/** Looks, and asks for a change, again and again; tells what came of it. */
export async function work(api: Api, index: number, story: Listener, untilMs: number): Promise<void> {
  const random = seededRandom(index);
  for (let turn = 0; performance.now() < untilMs; turn += 1) {
    const list = (await send(api, 'GET', path)).body as List;
    story.noteList(list);
    const name = names[Math.floor(random() * names.length)]!;
    const seen = list.items.find(({ metadata }) => metadata.name === name);
    const { method, at, body, type, codes, change } = chosen(random, name, `k${index}`, `${turn}`, seen);
    const answer = await send(api, method, at, body, type);
    assert.ok(codes.includes(answer.code), `${method} ${type} ${at}: ${JSON.stringify(answer.body)}`);
    if (answer.code < 300) story.noteChange(answer.body as Answer, change);
  }
}

/** Sends a request. */
export async function send({ on, token }: Api, method: string, target: string, sent?: object, type = 'json') {
  const head = { ':method': method, ':path': target, authorization: `Bearer ${token}` };
  const headers = sent ? { ...head, 'content-type': `application/${type}` } : head;
  const stream = on.request(headers, { endStream: false });
  stream.end(sent && JSON.stringify(sent));
  let code = 0;
  let text = '';
  stream.on('response', ({ ':status': status }) => (code = status!));
  for await (const piece of stream.setEncoding('utf8')) text += piece;
  return { code, body: JSON.parse(text) as unknown };
}

/** Calls back with each line that a watch is told, from a version on. */
export function watch({ on, token }: Api, from: string, onLine: (line: string) => void): void {
  const target = `${path}?watch=true&resourceVersion=${from}`;
  let rest = '';
  const stream = on.request({ ':path': target, authorization: `Bearer ${token}` }).on('error', () => {});
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    lines.forEach(onLine);
  });
}
