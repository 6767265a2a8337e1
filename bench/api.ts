/**
 * How fast one API server answers, alone, as users run it: SQLite, TLS, RBAC and admission.
 * `npm run bench -- api [--against URL --token T [--pids 1,2]]` measures another server in the same run, in turn, and
 * prints both and the ratio. `--pids`: the processes of that server, for its memory.
 */
import { parseArgs } from 'node:util';
import { ask, configMap, load, makeNamespace, pod } from './lib/load.ts';
import { residentMB, startOwnServer, type Target } from './lib/server.ts';
import { watchRate } from './lib/watch-load.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '64' },
    configmaps: { type: 'string', default: '10000' },
    pods: { type: 'string', default: '5000' },
    watchers: { type: 'string', default: '1000' },
    events: { type: 'string', default: '60000' },
    against: { type: 'string' },
    token: { type: 'string', default: '' },
    pids: { type: 'string', default: '' },
  },
});
const seconds = Number(values.seconds);
const clients = Number(values.clients);
const watchers = Number(values.watchers);

type Figures = Map<string, { readonly value: number; readonly unit: string; readonly lessIsBetter?: boolean }>;

async function measure(target: Target): Promise<Figures> {
  const figures: Figures = new Map();
  const rate = (name: string, value: number) => figures.set(name, { value, unit: '/s' });
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
  rate(
    'create ConfigMap, 1 client',
    (await load(target, 1, { seconds }, creates('configmaps', 'a', configMap))).perSecond,
  );
  rate(
    `create ConfigMap, ${clients} clients`,
    (await load(target, clients, configMaps, creates('configmaps', 'b', configMap))).perSecond,
  );
  rate(`create Pod, ${clients} clients`, (await load(target, clients, pods, creates('pods', 'p', pod))).perSecond);
  const get = (index: number) => ({ method: 'GET', path: `${path('configmaps')}/b-${index % 500}` });
  rate(`get ConfigMap, ${clients} clients`, (await load(target, clients, { seconds }, get)).perSecond);
  const list = () => ({ method: 'GET', path: `${path('pods')}?limit=500` });
  rate('list 500 Pods, 4 clients', (await load(target, 4, { seconds }, list)).perSecond);
  memory(`memory with ${values.configmaps} ConfigMaps, ${values.pods} Pods`);
  const events = Number(values.events);
  rate(`events to ${watchers} watchers, HTTP/1.1`, await watchRate(target, namespace, watchers, events, false));
  rate(`events to ${watchers} watchers, HTTP/2`, await watchRate(target, namespace, watchers, events, true));
  memory('memory after all');
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
const show = (figure: { value: number; unit: string } | undefined) =>
  figure ? `${Math.round(figure.value).toLocaleString('en')}${figure.unit === '/s' ? '' : ' '}${figure.unit}` : '';
console.log(theirs ? `| | kubernode | ${values.against} | ratio |\n|-|-:|-:|-:|` : '| | kubernode |\n|-|-:|');
for (const [name, figure] of ours) {
  const other = theirs?.get(name);
  const ratio = other && (figure.lessIsBetter ? other.value / figure.value : figure.value / other.value);
  console.log(
    `| ${name} | ${show(figure)} |${theirs ? ` ${show(other)} | ${ratio ? `${ratio.toFixed(1)}×` : ''} |` : ''}`,
  );
}
