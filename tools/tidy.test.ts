/** The rules that keep the house in order; each failure says what to do. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

/** A package imports only from floors below its own. */
const floors: Readonly<Record<string, number>> = {
  machinery: 0,
  api: 1,
  store: 1,
  client: 2,
  apiserver: 2,
  controllers: 3,
  scheduler: 3,
  kubelet: 3,
  runtime: 3,
  network: 3,
  cli: 4,
  testkit: 4,
};
const fileLinesMax = 400;
const lineColumnsMax = 140;

const root = join(import.meta.dirname, '..');
const isGenerated = (path: string) => path.startsWith('packages/api/generated/');
const sources = globSync('{packages,tools,examples,bench,test}/**/*.ts', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
})
  .filter((path) => !isGenerated(path))
  .sort();
const texts = new Map(sources.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

test('tidy: packages import only from floors below', () => {
  const wrong = sources.flatMap((path) => {
    const own = /^packages\/(\w+)\//.exec(path)?.[1];
    if (!own) return [];
    return importsOf(path)
      .map((specifier) => /^@kubernode\/(\w+)/.exec(specifier)?.[1])
      .filter((other) => other !== undefined && (floors[other] ?? 9) >= (floors[own] ?? 0))
      .filter((other) => !(path.endsWith('.test.ts') && other !== own))
      .map((other) => `${path}: imports @kubernode/${other}; move what is shared to a floor below, or hand it in`);
  });
  assert.deepEqual(wrong, []);
});

test('tidy: nothing above the API server reaches around it', () => {
  const composers = /^(packages\/(cli|testkit)|bench|examples|test)\//;
  const wrong = sources.filter(
    (path) =>
      !composers.test(path) &&
      !/\.test\.ts$|\/testing\//.test(path) &&
      importsOf(path).some((specifier) => specifier.startsWith('@kubernode/apiserver')),
  );
  assert.deepEqual(wrong, [], 'use @kubernode/client, or move what is shared to api or machinery');
});

test('tidy: relative imports stay inside their package and exist', () => {
  const wrong = sources.flatMap((path) =>
    importsOf(path)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => normalize(join(dirname(path), specifier)))
      .filter((target) => packageOf(target) !== packageOf(path) || !(texts.has(target) || isKnownFile(target)))
      .map((target) => `${path}: imports ${target}; import the other package by its name, or mend the path`),
  );
  assert.deepEqual(wrong, []);
});

test('tidy: files and lines have a bounded size', () => {
  const wrong = [...texts].flatMap(([path, text]) => {
    const lines = text.split('\n');
    const long = lines.findIndex((line) => line.length > lineColumnsMax && !/https?:|['"`].{90}|^\s*\/\^/.test(line));
    return [
      ...(lines.length > fileLinesMax
        ? [`${path}: ${lines.length} lines (at most ${fileLinesMax}): it is two ideas`]
        : []),
      ...(long >= 0 ? [`${path}:${long + 1}: over ${lineColumnsMax} columns; run 'npm run format'`] : []),
    ];
  });
  assert.deepEqual(wrong, []);
});

test('tidy: what is exported is used', () => {
  const used = new Set<string>();
  const exported = new Map<string, string>();
  for (const [path, text] of texts) {
    const imports =
      /(?:import|export)\s+(?:type\s+)?(?:[\w*]+\s*,\s*)?\{([^}]*)\}|const\s+\{([^}]*)\}\s*=\s*await\s+import\(/g;
    for (const [, stated, loaded = ''] of text.matchAll(imports)) {
      const names = stated ?? loaded;
      for (const name of names.split(','))
        used.add(
          name
            .trim()
            .replace(/^type\s+/, '')
            .split(/\s+as\s+/)[0] ?? '',
        );
    }
    if (path.endsWith('.test.ts')) continue;
    const declaration = /^export\s+(?:async\s+)?(?:abstract\s+)?(?:function\*?|const|class)\s+(\w+)/gm;
    for (const [, name = ''] of text.matchAll(declaration)) exported.set(`${path}: ${name}`, name);
  }
  const dead = [...exported].filter(([, name]) => !used.has(name)).map(([where]) => where);
  assert.deepEqual(dead, [], 'remove the word `export`, or the code');
});

test('tidy: words that do not belong', () => {
  const banned =
    /\b(TODO|FIXME|XXX)\b|not (yet )?implemented|@ts-ignore|@ts-nocheck|\b(test|it|describe)\.(only|todo)\(/;
  const wrong = [...texts].flatMap(([path, text]) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        banned.test(line) && path !== 'tools/tidy.test.ts' ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
  assert.deepEqual(wrong, [], 'finish it, or refuse it by name and list it in docs/STATUS.md');
});

test('tidy: nothing that runs imports node:http', () => {
  const wrong = [...texts].filter(
    ([path, text]) =>
      path.startsWith('packages/') && !path.endsWith('.test.ts') && /^import (?!type ).*'node:http';$/m.test(text),
  );
  const remedy = "an import loads Node's fetch, too (30 ms, 15 MB): use process.getBuiltinModule('node:http')";
  assert.deepEqual(
    wrong.map(([path]) => path),
    [],
    remedy,
  );
});

function importsOf(path: string): string[] {
  const text = texts.get(path) ?? '';
  return [...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/g)].map(
    ([, from, dynamic]) => from ?? dynamic ?? '',
  );
}

function packageOf(path: string): string {
  return /^packages\/\w+/.exec(path)?.[0] ?? 'the repository';
}

function isKnownFile(path: string): boolean {
  return isGenerated(path) || globSync(path, { cwd: root }).length > 0;
}
