/**
 * Turns the facts of a Kubernetes release into what the product runs on: a TypeScript file of types and kinds for each
 * group and version, and the compact tables of shapes and resources. The same facts always give the same bytes.
 *
 * Usage: node packages/api/generate/main.ts [--check]
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { generatedFiles } from './files.ts';

const packageFolder = join(import.meta.dirname, '..');
const targetFolder = join(packageFolder, 'generated');
const readFacts = (name: string) => JSON.parse(readFileSync(join(packageFolder, 'facts', name), 'utf8'));

const files = generatedFiles(readFacts('kubernetes-1.37.json'), readFacts('resources-1.37.json'));

if (process.argv.includes('--check')) {
  const stale = staleFiles();
  if (stale.length > 0) {
    console.error(`generated files differ from the facts: ${stale.join(', ')}; run 'npm run generate'`);
    process.exitCode = 1;
  }
} else {
  const stale = staleFiles();
  for (const name of stale) {
    const path = join(targetFolder, name);
    const text = files.get(name);
    if (text === undefined) rmSync(path);
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }
  console.log(`${files.size} files in packages/api/generated, ${stale.length} of them changed`);
}

/** Those that differ, are missing, or are nobody's. */
function staleFiles(): string[] {
  const present = existsSync(targetFolder)
    ? readdirSync(targetFolder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(targetFolder, join(entry.parentPath, entry.name)))
    : [];
  const differing = [...files].filter(([name, text]) => {
    const path = join(targetFolder, name);
    return !existsSync(path) || readFileSync(path, 'utf8') !== text;
  });
  return [...differing.map(([name]) => name), ...present.filter((name) => !files.has(name))];
}
