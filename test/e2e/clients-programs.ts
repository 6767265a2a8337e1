/** How the clients' own programs come here: by Go, npm and Debian's packages. What cannot be had is told by name. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const sources = join(root, 'test', 'clients');
/** Go keeps what it downloaded and built: only a machine's first run takes minutes. */
const buildTimeoutMs = 900_000;
/** Without debugging information; kubectl wants to know its own release. */
const linkerFlags = '-s -w -X k8s.io/component-base/version.gitVersion=v1.37.1';
const reasonMax = 300;
const installTimeoutMs = 120_000;
/** Go's words for what is wrong with our own sources; any other failure is one of bringing modules here. */
const isOurs = /^# |go\.sum|go\.mod|no required module provides/m;

/** Where a program is; or why the tests that need it are skipped. */
export type Program = { readonly path: string; readonly skip: false } | { readonly path: ''; readonly skip: string };

const missing = (why: string): Program => ({ path: '', skip: why });

/** Built of test/clients/go, in the order that shares most. */
export const goPrograms = ['clientgo', 'manager', 'kubectl', 'helm'] as const;
type GoProgram = (typeof goPrograms)[number];

/** Builds one of them. Throws where it does not compile. */
export function goProgram(name: GoProgram): Program {
  const target = name === 'helm' ? 'helm.sh/helm/v4/cmd/helm' : `./${name}`;
  const go = ['go', '/usr/local/go/bin/go'].find((path) => spawnSync(path, ['version']).status === 0);
  if (!go) return missing(`${name} is not tested: no Go on this machine`);
  const folder = join(root, 'node_modules', '.cache', 'clients');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  const env = { ...process.env, GOFLAGS: '-buildvcs=false', GOTOOLCHAIN: 'local' };
  const options = { cwd: join(sources, 'go'), env, encoding: 'utf8', timeout: buildTimeoutMs } as const;
  const { status, stderr, error } = spawnSync(go, ['build', `-ldflags=${linkerFlags}`, '-o', path, target], options);
  if (status === 0) return { path, skip: false };
  if (error || isOurs.test(stderr)) throw new Error(`go build ${target}: ${error?.message ?? stderr}`);
  return missing(`${name} is not tested: its Go modules cannot be had: ${stderr.trim().slice(-reasonMax)}`);
}

/** A program of test/clients/node, its packages installed as its lock file says. Node itself runs it. */
export function nodeProgram(file: string): Program {
  const cwd = join(sources, 'node');
  const path = join(cwd, file);
  if (existsSync(join(cwd, 'node_modules', '.package-lock.json'))) return { path, skip: false };
  const options = { cwd, encoding: 'utf8', timeout: installTimeoutMs } as const;
  const { status, stderr, error } = spawnSync('npm', ['ci', '--ignore-scripts'], options);
  if (status === 0) return { path, skip: false };
  return missing(`${file} is not tested: npm ci failed: ${error?.message ?? stderr.trim().slice(-reasonMax)}`);
}

/** Debian's own Python, with Debian's package of the client. */
export function pythonProgram(file: string): Program {
  const path = join(sources, 'python', file);
  const hasClient = () => spawnSync('/usr/bin/python3', ['-c', 'import kubernetes']).status === 0;
  if (hasClient()) return { path, skip: false };
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => spawnSync('apt-get', ['-qq', ...args], { env, timeout: installTimeoutMs });
  const install = () => apt('install', '-y', '--no-install-recommends', 'python3-kubernetes').status === 0;
  // A fresh machine has no package lists, or old ones.
  if (!install() && apt('update').status === 0) install();
  return hasClient()
    ? { path, skip: false }
    : missing(`${file} is not tested: apt-get could not install python3-kubernetes`);
}

/**
 * The kubectls on this machine by their release, as `1.33`: those in PATH's folders and beside what they link to, named
 * `kubectl` or `kubectl.1.33`. A `kubectl` that only picks one of the others by its server counts for none.
 */
export function kubectlsByRelease(): Map<string, string> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => existsSync(folder));
  const linked = folders.map((folder) => join(folder, 'kubectl')).filter((path) => existsSync(path));
  const all = new Set([...folders.map(toReal), ...linked.map((path) => dirname(toReal(path)))]);
  const found = new Map<string, string>();
  for (const folder of all) {
    for (const name of readdirSync(folder).filter((file) => /^kubectl([.-]v?1\.\d+[.\d]*)?$/.test(file))) {
      const release = releaseOf(join(folder, name));
      if (release && !found.has(release)) found.set(release, join(folder, name));
    }
  }
  const minor = (release: string) => Number(release.split('.')[1]);
  return new Map([...found].sort(([one], [other]) => minor(one) - minor(other)));
}

const toReal = (path: string) => realpathSync(path);

function releaseOf(path: string): string | undefined {
  const { stdout, status } = spawnSync(path, ['version', '--client', '--output=json'], { encoding: 'utf8' });
  if (status !== 0 || /dispatcher/.test(stdout)) return undefined;
  return /"gitVersion": "v(\d+\.\d+)/.exec(stdout)?.[1];
}
