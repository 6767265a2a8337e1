/**
 * Whether costs grow with what one asks for, and not with what there is: a server with 1,000 objects, then 10,000, 100,000
 * and 500,000, and with 10, 1,000 and 10,000 watchers. `npm run bench -- scale [--objects 1000,10000] [--watchers 10,1000]
 * [--plot docs/scale.svg]` prints two tables in Markdown and draws them. Costs are time of the server's processors.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Request } from './lib/connection.ts';
import { ask, configMap, load, makeNamespace, type Until } from './lib/load.ts';
import { plotsSvg, type Plot } from './lib/plot.ts';
import { seededData, type SeededData } from './lib/seed.ts';
import { residentMB, startOwnServer, type OwnServer } from './lib/server.ts';
import { watchRate } from './lib/watch-load.ts';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '1000,10000,100000,500000' },
    watchers: { type: 'string', default: '10,1000,10000' },
    events: { type: 'string', default: '50000' },
    plot: { type: 'string' },
  },
});
const numbers = (text: string) => text.split(',').filter(Boolean).map(Number);
const objectBytes = 900;
const pageLength = 500;
/** Without them a row would count what the first requests of a process cost. */
const warming = { count: 1_000 };
/** What a server needs no more after its start is given back by then. */
const settledMs = 12_000;

type Row = Record<string, number>;

/** Where a list goes on in the middle, as of now. */
async function middleToken(server: OwnServer, { namespace }: SeededData): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/configmaps?limit=1`;
  const { text } = await ask(server, { method: 'GET', path });
  const { resourceVersion } = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata;
  const token = { v: 'meta.k8s.io/v1', rv: Number(resourceVersion), start: `${namespace}/c-5\0` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

async function withObjects(data: SeededData, objects: number): Promise<Row> {
  const server = await startOwnServer([], ['--data-dir', data.dataDir]);
  try {
    await new Promise((resolve) => setTimeout(resolve, settledMs));
    const memory = residentMB(server) ?? 0;
    const collection = `/api/v1/namespaces/${data.namespace}/configmaps`;
    const measure = async (clients: number, until: Until, next: (index: number) => Request) =>
      (await load(server, clients, until, next)).serverUs ?? 0;
    const path = (index: number) => `${collection}/c-${(index * 7919) % objects}`;
    const get = (index: number) => ({ method: 'GET', path: path(index) });
    const creates = (prefix: string) => (index: number) => {
      const name = `${prefix}-${objects}-${index}`;
      return { method: 'POST', path: collection, body: configMap(name, objectBytes) };
    };
    await measure(64, warming, get);
    await measure(64, warming, creates('warm'));
    const middle = await middleToken(server, data);
    const row: Row = { objects, 'ready, s': server.readyMs / 1000 };
    row['create'] = await measure(64, { count: 1_000 }, creates('made'));
    row['get'] = await measure(64, { count: 3_000 }, get);
    row['update'] = await measure(64, { count: 1_000 }, (index) => ({
      method: 'PATCH',
      path: path(index),
      contentType: 'application/merge-patch+json',
      body: `{"data":{"turn":"${index}"}}`,
    }));
    const list = (query: string, count: number) =>
      measure(1, { count }, () => ({ method: 'GET', path: `${collection}?${query}` }));
    row['page'] = await list(`limit=${pageLength}`, 40);
    // By now the list is one of the past.
    row['later page'] = await list(`limit=${pageLength}&continue=${middle}`, 20);
    row['list, each'] = (await list('', 2)) / objects;
    await list('labelSelector=group%3Dg-7', 1);
    row['select, each'] = (await list('labelSelector=group%3Dg-7', 2)) / objects;
    row['memory, MB'] = memory;
    row['after, MB'] = residentMB(server) ?? 0;
    return row;
  } finally {
    await server.stop();
  }
}

async function byObjects(counts: readonly number[]): Promise<Row[]> {
  const data = await seededData(objectBytes);
  try {
    const rows: Row[] = [];
    let made = 0;
    for (const count of counts) {
      await data.add(made, count);
      made = count;
      rows.push(await withObjects(data, count));
      console.error(JSON.stringify(rows.at(-1)));
    }
    return rows;
  } finally {
    rmSync(data.dataDir, { recursive: true, force: true });
  }
}

async function byWatchers(counts: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  const server = await startOwnServer();
  try {
    const namespace = await makeNamespace(server);
    for (const watchers of counts) {
      const events = Math.min(Math.max(Number(values.events), watchers * 4), watchers * 500);
      const { perSecond, serverUs = 0 } = await watchRate(server, namespace, { watchers, events, http2: true });
      rows.push({ watchers, event: serverUs, 'events/s': perSecond, 'memory, MB': residentMB(server) ?? 0 });
    }
  } finally {
    await server.stop();
  }
  return rows;
}

function table(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const number = (value: number) => (value < 100 ? Number(value.toFixed(1)) : Math.round(value)).toLocaleString('en');
  const body = rows.map((row) => line(names.map((name) => number(row[name]!))));
  return [line(names), line(names.map(() => '-:')), ...body].join('\n');
}

const plotOf = (title: string, unit: string, rows: readonly Row[], x: string, names: readonly string[]): Plot => ({
  title,
  unit,
  lines: names.map((name) => ({ name, points: rows.map((row) => [row[x]!, row[name]!] as const) })),
});

const watched = await byWatchers(numbers(values.watchers));
const stored = await byObjects(numbers(values.objects));
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
