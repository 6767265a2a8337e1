/**
 * Watchers that cost their own side little, so that the server is what is measured: each counts the events that come
 * and reads nothing of them. Over HTTP/1.1 a connection each, over HTTP/2 a hundred streams on one.
 */
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { ask, configMap, load, type Rate } from './load.ts';
import type { Target } from './server.ts';

const streamsPerSession = 100;
/** Then the events have not come. */
const deliveryMsMax = 60_000;
const eventEnd = Buffer.from('}\n');

/** Counts ends of events, also where one is cut in two. */
class EventCounter {
  count = 0;
  #cut = false;

  read(bytes: Buffer): void {
    if (this.#cut && bytes[0] === eventEnd[1]) this.count += 1;
    for (let at = bytes.indexOf(eventEnd); at >= 0; at = bytes.indexOf(eventEnd, at + 2)) this.count += 1;
    this.#cut = bytes[bytes.length - 1] === eventEnd[0];
  }
}

interface Watchers {
  /** Events that came until now, to all of them. */
  received(): number;
  stop(): void;
}

/** Resolves when all of them are answered. */
async function openWatchers(target: Target, path: string, count: number, http2: boolean): Promise<Watchers> {
  const counters: EventCounter[] = [];
  const closers: (() => void)[] = [];
  const session = http2 ? sessionsOf(target, closers) : undefined;
  for (let first = 0; first < count; first += streamsPerSession) {
    const some = Math.min(streamsPerSession, count - first);
    const own = session?.();
    await Promise.all(
      Array.from({ length: some }, () => {
        const counter = new EventCounter();
        counters.push(counter);
        return own ? overHttp2(own, target, path, counter) : overHttp1(target, path, counter, closers);
      }),
    );
  }
  return {
    received: () => counters.reduce((sum, counter) => sum + counter.count, 0),
    stop: () => closers.forEach((close) => close()),
  };
}

function sessionsOf({ url }: Target, closers: (() => void)[]): () => ClientHttp2Session {
  return () => {
    const session = connectHttp2(url, { rejectUnauthorized: false, settings: { initialWindowSize: 1 << 20 } });
    session.on('connect', () => session.setLocalWindowSize(1 << 26));
    session.on('error', () => {});
    closers.push(() => session.destroy());
    return session;
  };
}

function overHttp2(session: ClientHttp2Session, { token }: Target, path: string, counter: EventCounter): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path, ...(token ? { authorization: `Bearer ${token}` } : {}) });
    stream.once('response', (headers) => {
      if (headers[':status'] === 200) resolve();
      else reject(new Error(`a watch was answered ${headers[':status']}, expected 200`));
    });
    stream.on('data', (bytes: Buffer) => counter.read(bytes));
    stream.on('error', reject);
  });
}

function overHttp1(target: Target, path: string, counter: EventCounter, closers: (() => void)[]): Promise<void> {
  const { hostname, port, host } = new URL(target.url);
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false });
    const authorization = target.token ? `authorization: Bearer ${target.token}\r\n` : '';
    socket.once('secureConnect', () => socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${authorization}\r\n`));
    socket.once('data', (head: Buffer) => {
      if (!head.toString('latin1').startsWith('HTTP/1.1 200')) reject(new Error('a watch was refused, expected 200'));
      counter.read(head);
      socket.on('data', (bytes: Buffer) => counter.read(bytes));
      resolve();
    });
    socket.on('error', reject);
    closers.push(() => socket.destroy());
  });
}

interface WatchLoad {
  readonly watchers: number;
  readonly events: number;
  readonly http2: boolean;
  /** The watches are there, from now on it counts. */
  readonly onOpen?: () => void;
}

/**
 * How many events a second so many watchers of one object are told while four clients change it; how late they come is
 * not measured.
 */
export async function watchRate(
  target: Target,
  namespace: string,
  { watchers, events, http2, onOpen }: WatchLoad,
): Promise<Rate> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const name = `watched-${watchers}-${http2 ? 2 : 1}`;
  const made = await ask(target, { method: 'POST', path: collection, body: configMap(name) });
  const { resourceVersion } = (JSON.parse(made.text) as { metadata: { resourceVersion: string } }).metadata;
  const path = `${collection}?watch=1&resourceVersion=${resourceVersion}`;
  const open = await openWatchers(target, path, watchers, http2);
  const count = Math.max(4, Math.ceil(events / watchers));
  onOpen?.();
  const startedMs = performance.now();
  await load(target, 4, { count }, (index) => ({
    method: 'PATCH',
    path: `${collection}/${name}`,
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ data: { turn: String(index) } }),
  }));
  while (open.received() < watchers * count && performance.now() - startedMs < deliveryMsMax) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const received = open.received();
  open.stop();
  if (received < watchers * count) throw new Error(`${received} events came, expected ${watchers * count}`);
  return { perSecond: received / seconds, count: received, p99Ms: 0 };
}
