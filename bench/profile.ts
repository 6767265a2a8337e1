/**
 * Where the API server's time goes under one kind of load, as a flame graph:
 * `npm run bench -- profile [creates|pods|gets|lists|watch] [--seconds 5] [--out DIR]`. Writes LOAD.svg, for a browser,
 * and LOAD.cpuprofile, for the Performance panel of Chrome's developer tools or an editor.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { flameGraph, type CpuProfile } from './lib/flame.ts';
import { configMap, load, makeNamespace, pod } from './lib/load.ts';
import { startOwnServer, type Target } from './lib/server.ts';
import { watchRate } from './lib/watch-load.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '5' }, out: { type: 'string', default: tmpdir() } },
});
const seconds = Number(values.seconds);
const objects = 1_000;

type Run = (target: Target, namespace: string) => Promise<unknown>;
const creates =
  (resource: string, body: (name: string) => string, until: Parameters<typeof load>[2]): Run =>
  (target, namespace) =>
    load(target, 64, until, (index) => ({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/${resource}`,
      body: body(`c-${index}`),
    }));
const reads =
  (pathOf: (index: number) => string): Run =>
  async (target, namespace) => {
    await creates('pods', pod, { count: objects })(target, namespace);
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await load(target, 16, { seconds }, (index) => ({ method: 'GET', path: path + pathOf(index) }));
  };
const loads: Record<string, Run> = {
  creates: creates('configmaps', configMap, { seconds }),
  pods: creates('pods', pod, { seconds }),
  gets: reads((index) => `/c-${index % objects}`),
  lists: reads(() => '?limit=500'),
  watch: (target, namespace) => watchRate(target, namespace, { watchers: 500, events: seconds * 20_000, http2: false }),
};

const [name = 'creates'] = positionals;
const run = loads[name];
if (!run) {
  console.error(`profile: no load "${name}"; there are: ${Object.keys(loads).join(', ')}`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'kubernode-profile-'));
try {
  const server = await startOwnServer(['--cpu-prof', `--cpu-prof-dir=${folder}`]);
  try {
    await run(server, await makeNamespace(server));
  } finally {
    await server.stop();
  }
  // The main thread's is the largest; the store's writer has one too.
  const bySize = readdirSync(folder).sort((a, b) => statSync(join(folder, b)).size - statSync(join(folder, a)).size);
  const file = join(folder, bySize[0]!);
  mkdirSync(values.out, { recursive: true });
  const out = join(values.out, name);
  cpSync(file, `${out}.cpuprofile`);
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  writeFileSync(`${out}.svg`, flameGraph(profile, `kubernode apiserver: ${name}`));
  console.log(`${out}.svg\n${out}.cpuprofile`);
} finally {
  rmSync(folder, { recursive: true });
}
