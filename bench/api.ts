/**
 * How fast one API server answers, alone, as users run it: SQLite, TLS, RBAC and admission.
 * `npm run bench -- api [--against URL --token T [--pids 1,2]]` measures another server in the same run, in turn, and
 * prints both and the ratio. `--pids`: the processes of that server, for its memory.
 */
import { parseArgs } from 'node:util';
import { ask, configMap, load, makeNamespace, pod } from './lib/load.ts';
import type { Rate } from './lib/meter.ts';
import { residentMB, startOwnServer, type Target } from './lib/server.ts';
import { watchRate } from './lib/watch-load.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '64' },
    configmaps: { type: 'string', default: '10000' },
    pods: { type: 'string', default: '5000' },
    watchers: { type: 'string', default: '1000' },
    events: { type: 'string', default: '120000' },
    against: { type: 'string' },
    token: { type: 'string', default: '' },
    pids: { type: 'string', default: '' },
  },
});
const seconds = Number(values.seconds);
const clients = Number(values.clients);
const watchers = Number(values.watchers);

/** Objects that are made before anything is measured, so that no figure is of code that still has to be compiled. */
const warming = { configMaps: 2_000, pods: 1_000 };
/** ConfigMaps that one client makes, so many that both servers hold the same. */
const singles = 1_000;
/** Different ConfigMaps that are read. */
const gotten = 500;
/** Pods on a page. */
const listed = 500;
/** Long enough for a server to give back what it does not need. */
const quietMs = [2_000, 30_000];

interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly lessIsBetter?: boolean;
  readonly rate?: Rate;
}
type Figures = Map<string, Figure>;

async function measure(target: Target): Promise<Figures> {
  const figures: Figures = new Map();
  const rate = async (name: string, measured: Promise<Rate>) => {
    const result = await measured;
    figures.set(name, { value: result.perSecond, unit: '/s', rate: result });
  };
  const memory = (name: string) => {
    const value = residentMB(target);
    if (value !== undefined) figures.set(name, { value, unit: 'MB', lessIsBetter: true });
  };
  memory('memory before');
  const namespace = await makeNamespace(target);
  const path = (resource: string) => `/api/v1/namespaces/${namespace}/${resource}`;
  const creates = (byClients: number, count: number, prefix: string, resource = 'configmaps', body = configMap) =>
    load(target, byClients, { count }, (index) => ({
      method: 'POST',
      path: path(resource),
      body: body(`${prefix}-${index}`),
    }));
  const many = `${clients} clients`;
  await creates(clients, warming.configMaps, 'w');
  await creates(clients, warming.pods, 'w', 'pods', pod);
  await rate('create ConfigMap, 1 client', creates(1, singles, 'a'));
  const configMaps = Math.max(gotten, Number(values.configmaps) - warming.configMaps - singles);
  await rate(`create ConfigMap, ${many}`, creates(clients, configMaps, 'b'));
  const pods = Math.max(listed, Number(values.pods) - warming.pods);
  await rate(`create Pod, ${many}`, creates(clients, pods, 'p', 'pods', pod));
  const get = (index: number) => ({ method: 'GET', path: `${path('configmaps')}/b-${index % gotten}` });
  await rate(`get ConfigMap, ${many}`, load(target, clients, { seconds }, get));
  const list = () => ({ method: 'GET', path: `${path('pods')}?limit=${listed}` });
  await rate(`list ${listed} Pods, 4 clients`, load(target, 4, { seconds }, list));
  memory(`memory with ${configMaps + warming.configMaps + singles} ConfigMaps, ${pods + warming.pods} Pods`);
  const events = Number(values.events);
  for (const version of [1, 2] as const) {
    const name = `events to ${watchers} watchers, HTTP/${version === 1 ? '1.1' : '2'}`;
    await rate(name, watchRate(target, namespace, { watchers, events, http2: version === 2 }));
  }
  memory('memory at the end of the load');
  let waitedMs = 0;
  for (const afterMs of quietMs) {
    await new Promise((resolve) => setTimeout(resolve, afterMs - waitedMs));
    waitedMs = afterMs;
    memory(`memory ${afterMs / 1000} s after the load`);
  }
  for (const resource of ['pods', 'configmaps']) {
    const path = `/api/v1/namespaces/${namespace}/${resource}?gracePeriodSeconds=0`;
    // Of many objects it can take longer than a server allows; the figures are taken all the same.
    await ask(target, { method: 'DELETE', path }).catch((error: Error) =>
      console.error(`DELETE ${path}: ${error.message}`),
    );
  }
  return figures;
}

const own = await startOwnServer();
let ours: Figures;
try {
  ours = await measure(own);
} finally {
  await own.stop();
}
ours.set('process start to ready', { value: own.readyMs, unit: 'ms', lessIsBetter: true });
const pids = values.pids.split(',').filter(Boolean).map(Number);
const theirs = values.against
  ? await measure({ name: 'against', url: values.against, token: values.token, pids })
  : undefined;
const valueOf = ({ value, unit, rate }: Figure) => {
  const serverUs = rate?.serverUs === undefined ? '' : ` (${rate.serverUs.toFixed(0)} µs)`;
  return `${Math.round(value).toLocaleString('en')}${unit === '/s' ? '' : ' '}${unit}${serverUs}`;
};
const clientOf = ({ rate }: Figure) =>
  rate ? `${rate.clientUs.toFixed(rate.clientUs < 10 ? 1 : 0)} µs, ${(rate.clientShare * 100).toFixed(0)} %` : '';
const row = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`);

// In brackets what each costs the server's processors, which other programs on the machine change little.
row(['', 'kubernode', 'its client', ...(theirs ? [values.against ?? '', 'its client', 'ratio'] : [])]);
row(['-', '-:', '-:', ...(theirs ? ['-:', '-:', '-:'] : [])]);
for (const [name, figure] of ours) {
  const cells = [name, valueOf(figure), clientOf(figure)];
  const other = theirs?.get(name);
  if (other) {
    const ratio = figure.lessIsBetter ? other.value / figure.value : figure.value / other.value;
    cells.push(valueOf(other), clientOf(other), `${ratio.toFixed(1)}×`);
  } else if (theirs) cells.push('', '', '');
  row(cells);
}
console.log(
  `\nBefore the first line each server made ${warming.configMaps} ConfigMaps and ${warming.pods} Pods, so that its code is ` +
    'compiled. The client is this one process, the same for both: its time for each, and its share of a core (at 100 % it ' +
    'is the limit).',
);
