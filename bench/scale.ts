/**
 * Whether costs grow with what one asks for, and not with what there is: one server with 1,000 objects, then 10,000,
 * then 100,000, and with 10, 1,000 and 10,000 watchers. `npm run bench -- scale [--objects 1000,10000] [--watchers 10,1000]
 * [--plot docs/scale.svg]` prints two tables and draws them. Costs are time of the server's processors.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Request } from './lib/connection.ts';
import { configMap, load, makeNamespace, type Rate, type Until } from './lib/load.ts';
import { plotsSvg, type Plot } from './lib/plot.ts';
import { computedMs, residentMB, startOwnServer, type Target } from './lib/server.ts';
import { watchRate } from './lib/watch-load.ts';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '1000,10000,100000' },
    watchers: { type: 'string', default: '10,1000,10000' },
    events: { type: 'string', default: '50000' },
    plot: { type: 'string' },
  },
});
const numbers = (text: string) => text.split(',').map(Number);
const pageLength = 500;

type Row = Record<string, number>;

async function cost(target: Target, measured: () => Promise<Rate>): Promise<number> {
  const before = computedMs(target) ?? 0;
  const { count } = await measured();
  return (((computedMs(target) ?? 0) - before) * 1000) / count;
}

async function withObjects(target: Target, namespace: string, counts: readonly number[]): Promise<Row[]> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const rows: Row[] = [];
  let made = 0;
  for (const count of counts) {
    const first = made;
    const ask = (clients: number, until: Until, next: (index: number) => Request) =>
      cost(target, () => load(target, clients, until, next));
    const path = (index: number) => `${collection}/c-${(index * 7919) % count}`;
    const create = await ask(64, { count: count - first }, (index) => ({
      method: 'POST',
      path: collection,
      body: configMap(`c-${first + index}`),
    }));
    made = count;
    const get = await ask(64, { count: 10_000 }, (index) => ({ method: 'GET', path: path(index) }));
    const update = await ask(64, { count: 2_000 }, (index) => ({
      method: 'PATCH',
      path: path(index),
      contentType: 'application/merge-patch+json',
      body: `{"data":{"turn":"${index}"}}`,
    }));
    const page = await ask(4, { count: 200 }, () => ({ method: 'GET', path: `${collection}?limit=${pageLength}` }));
    const whole = await ask(1, { count: 3 }, () => ({ method: 'GET', path: collection }));
    rows.push({ objects: count, create, get, update, page, 'whole list, per object': whole / count });
    rows.at(-1)!['memory, MB'] = residentMB(target) ?? 0;
  }
  return rows;
}

async function withWatchers(target: Target, namespace: string, counts: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const watchers of counts) {
    const events = Math.max(Number(values.events), watchers * 4);
    let perSecond = 0;
    const event = await cost(target, async () => {
      const rate = await watchRate(target, namespace, {
        watchers,
        events: Math.min(events, watchers * 500),
        http2: true,
      });
      ({ perSecond } = rate);
      return rate;
    });
    rows.push({ watchers, event, 'events/s': perSecond, 'memory, MB': residentMB(target) ?? 0 });
  }
  return rows;
}

function table(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const number = (value: number) =>
    (value < 100 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)).toLocaleString('en');
  const body = rows.map((row) => line(names.map((name) => number(row[name]!))));
  return [line(names), line(names.map(() => '-:')), ...body].join('\n');
}

const plotOf = (title: string, unit: string, rows: readonly Row[], x: string, names: readonly string[]): Plot => ({
  title,
  unit,
  lines: names.map((name) => ({ name, points: rows.map((row) => [row[x]!, row[name]!] as const) })),
});

const server = await startOwnServer();
try {
  const namespace = await makeNamespace(server);
  const watched = await withWatchers(server, namespace, numbers(values.watchers));
  const stored = await withObjects(server, namespace, numbers(values.objects));
  console.log(`Cost of each in µs of the server's processors\n\n${table(stored)}\n\n${table(watched)}`);
  if (values.plot) {
    const plots = [
      plotOf('Cost by objects', 'µs', stored, 'objects', ['create', 'get', 'update']),
      plotOf('Memory by objects', 'MB', stored, 'objects', ['memory, MB']),
      plotOf('Cost of an event by watchers', 'µs', watched, 'watchers', ['event']),
      plotOf('Memory by watchers', 'MB', watched, 'watchers', ['memory, MB']),
    ];
    writeFileSync(values.plot, plotsSvg(plots));
  }
} finally {
  await server.stop();
}
