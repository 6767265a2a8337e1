import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const main = join(import.meta.dirname, 'main.ts');
const folder = mkdtempSync(join(tmpdir(), 'kubernode-main-'));
after(() => rmSync(folder, { recursive: true }));
const nowhere = ['--data-dir', join(folder, 'nothing')];

/** Tells at its end what the process has loaded. */
const spy = `import { registerHooks } from 'node:module';
import { writeFileSync } from 'node:fs';
const urls = [];
registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
process.on('exit', () => writeFileSync(process.env.LOADED, urls.join('\\n')));`;

function run(...args: string[]) {
  const loaded = join(folder, 'loaded');
  rmSync(loaded, { force: true });
  const flags = [
    '--disable-warning=ExperimentalWarning',
    '--import',
    `data:text/javascript,${encodeURIComponent(spy)}`,
  ];
  const env = { ...process.env, LOADED: loaded };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, main, ...args], { env, encoding: 'utf8' });
  const urls = existsSync(loaded) ? readFileSync(loaded, 'utf8').split('\n') : [];
  const packages = urls.map((url) => /\/packages\/(\w+)\//.exec(url)?.[1]).filter((name) => name !== undefined);
  return { status, said: stdout + stderr, urls, packages: [...new Set(packages)] };
}

for (const { args, status, says } of [
  { args: ['version'], status: 0, says: /^kubernode \S+\nkubernetes v1\./ },
  { args: ['--help'], status: 0, says: /apiserver \[options\]/ },
  { args: ['status', ...nowhere], status: 1, says: /^There is no cluster in / },
  { args: ['kubeconfig', ...nowhere], status: 1, says: /There is no cluster in / },
  { args: ['logs', ...nowhere], status: 1, says: /There is no cluster in / },
  { args: ['down', ...nowhere], status: 0, says: /No cluster runs in / },
  { args: ['image', 'list', ...nowhere], status: 1, says: /There is no cluster in / },
  { args: ['agent', ...nowhere], status: 1, says: /There is no cluster in / },
]) {
  test(`main: "${args[0]}" loads the command alone`, () => {
    const { said, packages, ...ran } = run(...args);
    assert.match(said, says);
    assert.equal(ran.status, status);
    assert.deepEqual(packages, ['cli']);
  });
}

test('main: "apiserver" loads no controllers, no node and no fetch', () => {
  const { packages, urls, status, said } = run(
    'apiserver',
    '--bind-address',
    '192.0.2.1',
    '--storage',
    'memory',
    ...nowhere,
  );
  assert.match(said, /Starting the API server: .*192\.0\.2\.1/);
  assert.equal(status, 1);
  assert.deepEqual(packages.sort(), ['api', 'apiserver', 'cli', 'machinery', 'store']);
  assert.deepEqual(
    urls.filter((url) => url === 'node:http'),
    [],
  );
});

test('main: "completion" knows the flags of the API server', () => {
  const { said, status } = run('completion', 'bash');
  assert.equal(status, 0);
  for (const word of ['kubeconfig', '--data-dir', '--feature-gates', '--node-name'])
    assert.ok(said.includes(word), word);
});
