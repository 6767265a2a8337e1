/**
 * The one command behind `npm test`: static checks, then the fast tests, then the end-to-end tests with real kubectl and
 * real containers. Stops at the first part that fails.
 *
 * Usage: test.ts [check|fast|e2e]... [-- PATTERN]   (PATTERN: only test files whose path contains it)
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const [wanted = [], [pattern = ''] = []] = splitAt(process.argv.slice(2), '--');

const parts: Record<string, () => boolean> = {
  check: () =>
    run('types', 'tsc', '--noEmit') &&
    run('lint', 'oxlint', '--quiet') &&
    run('format', 'oxfmt', '--check', 'packages', 'tools', 'examples', 'bench', 'test') &&
    run('generated code', 'node', 'packages/api/generate/main.ts', '--check'),
  fast: () =>
    nodeTests(
      'fast tests',
      files('**/*.test.ts').filter((file) => !file.endsWith('.e2e.test.ts')),
      2,
    ),
  e2e: () => run('set-up', 'sh', 'kubernode', 'setup') && clients() && endToEndTests(files('**/*.e2e.test.ts')),
};

const names = wanted.length > 0 ? wanted : Object.keys(parts);
const unknown = names.find((name) => !parts[name]);
if (unknown) {
  console.error(`test: no part "${unknown}"; there are: ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
process.exitCode = names.every((name) => parts[name]?.()) ? 0 : 1;

function files(glob: string): string[] {
  return globSync(glob, { cwd: root, exclude: (path) => path.includes('node_modules') })
    .filter((file) => file.includes(pattern))
    .sort();
}

/** Where their tests are wanted, the real clients are built or installed first: no test's time limit holds for that. */
function clients(): boolean {
  return files('test/e2e/clients-*.e2e.test.ts').length === 0 || run('clients', 'node', 'test/e2e/clients-setup.ts');
}

/** A file each, one at a time. What fails on a busy machine gets a second chance, and both are told. */
function endToEndTests(testFiles: readonly string[]): boolean {
  const failed = testFiles.filter((file) => !nodeTests(file, [file], 1));
  return failed.every((file) => nodeTests(`${file}, once more`, [file], 1));
}

function nodeTests(title: string, testFiles: readonly string[], concurrency: number): boolean {
  if (testFiles.length === 0) return true;
  return run(title, 'node', '--test', '--test-timeout=300000', `--test-concurrency=${concurrency}`, ...testFiles);
}

function run(title: string, command: string, ...args: string[]): boolean {
  const startedMs = performance.now();
  console.log(`== ${title}`);
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` };
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env });
  if (error) console.error(`test: could not run ${command}: ${error.message}`);
  console.log(
    `== ${title}: ${status === 0 ? 'ok' : 'FAILED'} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`,
  );
  return status === 0;
}

function splitAt(items: readonly string[], separator: string): string[][] {
  const index = items.indexOf(separator);
  return index < 0 ? [[...items]] : [items.slice(0, index), items.slice(index + 1)];
}
