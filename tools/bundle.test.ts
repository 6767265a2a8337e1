/** Starting from a bundle is a cache that nobody notices: what runs is always what the sources say. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';

const esbuild = join(import.meta.dirname, '../node_modules/@esbuild');
const skip = existsSync(esbuild) ? false : 'esbuild is not installed';
const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

const main = `import { text } from "./text.ts";
import facts from "./facts.json" with { type: 'json' };
console.log(text, facts.number, import.meta.url.endsWith('/main.js') ? 'bundled' : 'sources');
if (process.argv[2] === 'wait') setTimeout(() => {}, 1e9);
if (process.argv[2] === 'late') import("./late.ts").then(({ late }) => console.log(late));
if (process.argv[2] === 'fail') process.exit(1);
`;

/** A repository with a command of a few files. */
function makeRepository({ withEsbuild = true } = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'kubernode-bundle-'));
  folders.push(root);
  const files = {
    'packages/cli/main.ts': main,
    'packages/cli/text.ts': "export const text: string = 'one';\n",
    'packages/cli/late.ts': "export const late = 'late';\n",
    'packages/cli/facts.json': '{ "number": 1 }\n',
    'packages/cli/package.json': '{ "type": "module" }\n',
    'packages/store/sqlite-worker.ts': 'export {};\n',
    'node_modules/commander/index.js': "export const name = 'commander';\n",
    'node_modules/ipaddr.js/index.js': '',
    'node_modules/js-yaml/index.js': '',
    'node_modules/re2js/index.js': '',
    'package-lock.json': '{}\n',
    'node_modules/.kubernode-lock.json': '{}\n',
  };
  for (const [path, text] of Object.entries(files)) write(root, path, text);
  for (const path of ['tools/with-node.sh', 'tools/bundle.sh', 'packages/cli/start.ts']) {
    cpSync(join(import.meta.dirname, '..', path), join(root, path));
  }
  mkdirSync(join(root, 'node_modules/.bin'));
  symlinkSync(process.execPath, join(root, 'node_modules/.bin/node'));
  if (withEsbuild) symlinkSync(esbuild, join(root, 'node_modules/@esbuild'));
  return root;
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const command = (root: string, ...args: string[]) => [
  join(root, 'tools/with-node.sh'),
  join(root, 'packages/cli/main.ts'),
  ...args,
];
const environment = (more: Record<string, string> = {}) => {
  const { NODE_COMPILE_CACHE: _, NODE_TEST_CONTEXT: __, KUBERNODE_BUNDLE: ___, ...env } = process.env;
  return { ...env, ...more };
};

/** What the command says; '' where it fails. */
function run(root: string, args: readonly string[] = [], env: Record<string, string> = {}): string {
  const { stdout } = spawnSync('sh', command(root, ...args), { env: environment(env), encoding: 'utf8' });
  return stdout.trim();
}

const bundles = (root: string) => readdirSync(join(root, 'node_modules/.cache/bundle'));

test('bundle: the sources run where there is no esbuild, or where somebody wants them', () => {
  assert.equal(run(makeRepository({ withEsbuild: false })), 'one 1 sources');
  assert.equal(run(makeRepository(), [], { KUBERNODE_BUNDLE: 'no' }), 'one 1 sources');
});

test('bundle: is made once, and has what is loaded late', { skip }, () => {
  const root = makeRepository();
  assert.equal(run(root), 'one 1 bundled');
  const [made = ''] = bundles(root);
  const { ino } = statSync(join(root, 'node_modules/.cache/bundle', made));
  assert.equal(run(root, ['late']), 'one 1 bundled\nlate');
  assert.equal(statSync(join(root, 'node_modules/.cache/bundle', made)).ino, ino);
  assert.deepEqual(bundles(root), [made]);
});

test('bundle: what a command compiled is kept for the next time, where it did not fail', { skip }, () => {
  const root = makeRepository();
  run(root, ['fail']);
  run(root, ['late']);
  const bundle = join(root, 'node_modules/.cache/bundle', bundles(root)[0]!);
  const kept = () => readdirSync(bundle).filter((name) => name.endsWith('.compiled'));
  assert.deepEqual(kept(), ['late.compiled']);
  const file = join(bundle, 'late.compiled');
  const { ino } = statSync(file);
  assert.equal(run(root, ['late']), 'one 1 bundled\nlate');
  assert.equal(statSync(file).ino, ino);
  writeFileSync(file, 'of another Node');
  assert.equal(run(root, ['late']), 'one 1 bundled\nlate');
  assert.notEqual(readFileSync(file, 'latin1'), 'of another Node');
});

test('bundle: an old one is never used, whatever a changed file says of its age', { skip }, () => {
  const root = makeRepository();
  const path = join(root, 'packages/cli/text.ts');
  const { atime, mtime } = statSync(path);
  assert.equal(run(root), 'one 1 bundled');
  write(root, 'packages/cli/text.ts', "export const text: string = 'two';\n");
  utimesSync(path, atime, mtime);
  assert.equal(run(root), 'two 1 bundled');
  write(root, 'packages/cli/facts.json', '{ "number": 2 }\n');
  assert.equal(run(root), 'two 2 bundled');
  write(root, 'packages/cli/text.ts', "export { name as text } from 'commander';\n");
  assert.equal(run(root), 'commander 2 bundled');
  write(root, 'node_modules/commander/index.js', "export const name = 'another';\n");
  assert.equal(run(root), 'another 2 bundled');
  rmSync(path);
  assert.equal(run(root), '');
  write(root, 'packages/cli/text.ts', 'export const text: string = ;\n');
  assert.equal(run(root), '');
  write(root, 'packages/cli/text.ts', "export const text: string = 'three';\n");
  assert.equal(run(root), 'three 2 bundled');
});

test('bundle: two that start at once make it, and both run it', { skip }, async () => {
  const root = makeRepository();
  const started = Array.from({ length: 3 }, () => spawn('sh', command(root), { env: environment() }));
  const said = await Promise.all(started.map(async ({ stdout }) => String(Buffer.concat(await stdout.toArray()))));
  assert.deepEqual(said, Array(3).fill('one 1 bundled\n'));
  assert.equal(bundles(root).length, 1);
});

test('bundle: an older one stays as long as something runs it', { skip }, async () => {
  const root = makeRepository();
  const child = spawn('sh', command(root, 'wait'), { env: environment(), stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const [older = ''] = bundles(root);
  write(root, 'packages/cli/text.ts', "export const text: string = 'newer';\n");
  assert.equal(run(root), 'newer 1 bundled');
  assert.equal(bundles(root).length, 2);
  assert.ok(bundles(root).includes(older));
  child.kill();
  await once(child, 'exit');
  write(root, 'packages/cli/text.ts', "export const text: string = 'newest';\n");
  assert.equal(run(root), 'newest 1 bundled');
  assert.equal(bundles(root).length, 1);
});

test('bundle: what all sources are made into is ASCII', { skip }, () => {
  const root = join(import.meta.dirname, '..');
  const { stdout } = spawnSync(join(root, 'kubernode'), ['version'], { env: environment(), encoding: 'utf8' });
  assert.match(stdout, /^kubernode /);
  const newest = bundles(root)
    .map((name) => join(root, 'node_modules/.cache/bundle', name))
    .sort((a, b) => statSync(b).ctimeMs - statSync(a).ctimeMs)[0]!;
  const wrong = readdirSync(newest)
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => readFileSync(join(newest, name), 'utf8').match(/^.*[^\0-\x7f].*$/gm) ?? []);
  const remedy = 'another character doubles the memory of the whole file: write \\u00b5 in regular expressions';
  assert.deepEqual(wrong, [], remedy);
});
