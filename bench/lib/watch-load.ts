/**
 * Watchers that cost their own side little, so that the server is what is measured: each counts the events that come
 * and reads nothing of them. Over HTTP/1.1 a connection each, over HTTP/2 a hundred streams on one.
 */
import { connectTo } from './connection.ts';
import { Http2Connection } from './http2-connection.ts';
import { ask, configMap, load } from './load.ts';
import { startMeter, type Rate } from './meter.ts';
import type { Target } from './server.ts';

/** Over HTTP/2 they share a connection. */
const openedTogether = 100;
/** Then the events have not come. */
const deliveryMsMax = 60_000;
const brace = '}'.charCodeAt(0);
const newline = '\n'.charCodeAt(0);

/** Counts ends of events: no other line, be it of what frames them, ends in a brace. */
class EventCounter {
  count = 0;
  #last = 0;

  read(bytes: Buffer): void {
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) {
      if ((at > 0 ? bytes[at - 1] : this.#last) === brace) this.count += 1;
    }
    this.#last = bytes.at(-1) ?? this.#last;
  }
}

interface Watchers {
  /** Events that came until now, to all of them. */
  received(): number;
  stop(): void;
}

/** Resolves when all of them are answered. */
async function openWatchers(target: Target, path: string, count: number, http2: boolean): Promise<Watchers> {
  const counters = Array.from({ length: count }, () => new EventCounter());
  const closers: (() => void)[] = [];
  for (let first = 0; first < count; first += openedTogether) {
    const some = counters.slice(first, first + openedTogether);
    if (http2) {
      const connection = new Http2Connection(target);
      closers.push(() => connection.close());
      await Promise.all(some.map((counter) => connection.get(path, (piece) => counter.read(piece))));
    } else await Promise.all(some.map((counter) => overHttp1(target, path, counter, closers)));
  }
  return {
    received: () => counters.reduce((sum, counter) => sum + counter.count, 0),
    stop: () => closers.forEach((close) => close()),
  };
}

function overHttp1(target: Target, path: string, counter: EventCounter, closers: (() => void)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const socket = connectTo(target.url, (received, end) => {
      if (!isAnswered && received.toString('latin1', 9, 12) !== '200') reject(new Error('a watch was refused'));
      isAnswered = true;
      counter.read(received.subarray(0, end));
      resolve();
    });
    const authorization = target.token ? `authorization: Bearer ${target.token}\r\n` : '';
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${new URL(target.url).host}\r\n${authorization}\r\n`);
    socket.on('error', reject);
    closers.push(() => socket.destroy());
  });
}

interface WatchLoad {
  readonly watchers: number;
  readonly events: number;
  readonly http2: boolean;
}

/**
 * How many events a second so many watchers of one object are told while four clients change it; how late they come is
 * not measured.
 */
export async function watchRate(
  target: Target,
  namespace: string,
  { watchers, events, http2 }: WatchLoad,
): Promise<Rate> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const name = `watched-${watchers}-${http2 ? 2 : 1}`;
  const made = await ask(target, { method: 'POST', path: collection, body: configMap(name) });
  const { resourceVersion } = (JSON.parse(made.text) as { metadata: { resourceVersion: string } }).metadata;
  const path = `${collection}?watch=1&resourceVersion=${resourceVersion}`;
  const open = await openWatchers(target, path, watchers, http2);
  const count = Math.max(4, Math.ceil(events / watchers));
  // Opening the watches is not what an event costs.
  const measured = startMeter(target);
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
  const received = open.received();
  const rate = measured(received);
  open.stop();
  if (received < watchers * count) throw new Error(`${received} events came, expected ${watchers * count}`);
  return rate;
}
