/**
 * Runs the benchmarks and prints their tables. Each is a program of its own that can be run alone.
 *
 * Usage: npm run bench [-- NAME [ARGUMENT...]]
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const own = new Set(['main.ts']);
const all = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !own.has(file))
  .map((file) => file.slice(0, -3))
  .sort();
const [name, ...args] = process.argv.slice(2);
if (name !== undefined && !all.includes(name)) {
  console.error(`bench: no benchmark "${name}"; there are: ${all.join(', ')}`);
  process.exit(2);
}
for (const one of name === undefined ? all : [name]) {
  console.log(`\n== ${one}`);
  const file = join(import.meta.dirname, `${one}.ts`);
  const { status } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
