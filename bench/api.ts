/**
 * How fast one API server answers, alone, as users run it: SQLite, TLS, RBAC and admission.
 * `npm run bench -- api [--against URL --token T [--pids 1,2]]` measures another server in the same run, in turn, and
 * prints both and the ratio. `--pids`: the processes of that server, for its memory.
 */
import { parseArgs } from 'node:util';
import { ask, configMap, load, makeNamespace, pod, type Rate } from './lib/load.ts';
import { computedMs, residentMB, startOwnServer, type Target } from './lib/server.ts';
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

/** Long enough for a server to give back what it does not need. */
const quietMs = 30_000;

type Figures = Map<
  string,
  { readonly value: number; readonly unit: string; readonly cpuUs?: number; readonly lessIsBetter?: boolean }
>;

async function measure(target: Target): Promise<Figures> {
  const figures: Figures = new Map();
  const rate = async (name: string, measured: (restart: () => void) => Promise<Rate>) => {
    let before = 0;
    const restart = () => {
      before = computedMs(target) ?? 0;
    };
    restart();
    const { perSecond, count } = await measured(restart);
    const cpuUs = ((computedMs(target) ?? 0) - before) * (1000 / count);
    figures.set(name, { value: perSecond, unit: '/s', cpuUs });
  };
  const memory = (name: string) => {
    const value = residentMB(target);
    if (value !== undefined) figures.set(name, { value, unit: 'MB', lessIsBetter: true });
  };
  memory('memory before');
  const namespace = await makeNamespace(target);
  const path = (resource: string) => `/api/v1/namespaces/${namespace}/${resource}`;
  const creates = (resource: string, prefix: string, body: (name: string) => string) => (index: number) =>
    ({ method: 'POST', path: path(resource), body: body(`${prefix}-${index}`) }) as const;
  const configMaps = { count: Number(values.configmaps) };
  const pods = { count: Number(values.pods) };
  const one = { seconds };
  const many = `${clients} clients`;
  await rate('create ConfigMap, 1 client', () => load(target, 1, one, creates('configmaps', 'a', configMap)));
  await rate(`create ConfigMap, ${many}`, () =>
    load(target, clients, configMaps, creates('configmaps', 'b', configMap)),
  );
  await rate(`create Pod, ${many}`, () => load(target, clients, pods, creates('pods', 'p', pod)));
  const get = (index: number) => ({ method: 'GET', path: `${path('configmaps')}/b-${index % 500}` });
  await rate(`get ConfigMap, ${many}`, () => load(target, clients, one, get));
  const list = () => ({ method: 'GET', path: `${path('pods')}?limit=500` });
  await rate('list 500 Pods, 4 clients', () => load(target, 4, one, list));
  memory(`memory with ${values.configmaps} ConfigMaps, ${values.pods} Pods`);
  const events = Number(values.events);
  for (const version of [1, 2] as const) {
    const name = `events to ${watchers} watchers, HTTP/${version === 1 ? '1.1' : '2'}`;
    await rate(name, (onOpen) => watchRate(target, namespace, { watchers, events, http2: version === 2, onOpen }));
  }
  memory('memory after all');
  await new Promise((resolve) => setTimeout(resolve, quietMs));
  memory(`memory ${quietMs / 1000} s later`);
  for (const resource of ['pods', 'configmaps']) {
    await ask(target, { method: 'DELETE', path: `${path(resource)}?gracePeriodSeconds=0` });
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
const show = (figure: { value: number; unit: string; cpuUs?: number } | undefined) => {
  if (!figure) return '';
  const { value, unit, cpuUs } = figure;
  const computed = cpuUs ? ` (${cpuUs.toFixed(0)} µs)` : '';
  return `${Math.round(value).toLocaleString('en')}${unit === '/s' ? '' : ' '}${unit}${computed}`;
};
// In brackets what each costs the server's processors, which other programs on the machine change little.
console.log(theirs ? `| | kubernode | ${values.against} | ratio |\n|-|-:|-:|-:|` : '| | kubernode |\n|-|-:|');
for (const [name, figure] of ours) {
  const other = theirs?.get(name);
  const ratio = other && (figure.lessIsBetter ? other.value / figure.value : figure.value / other.value);
  console.log(
    `| ${name} | ${show(figure)} |${theirs ? ` ${show(other)} | ${ratio ? `${ratio.toFixed(1)}×` : ''} |` : ''}`,
  );
}
