import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import type { Facts, ResourceFacts } from './facts.ts';
import { generatedFiles } from './files.ts';

const packageFolder = join(import.meta.dirname, '..');
const readFacts = (name: string): unknown => JSON.parse(readFileSync(join(packageFolder, 'facts', name), 'utf8'));
const facts = readFacts('kubernetes-1.37.json') as Facts;
const resources = readFacts('resources-1.37.json') as ResourceFacts;

test('generatedFiles is what generated/ holds, to the byte', () => {
  const folder = join(packageFolder, 'generated');
  const present = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const files = generatedFiles(facts, resources);
  assert.deepEqual(present.sort(), [...files.keys()].sort());
  for (const [name, text] of files) {
    const isSame = readFileSync(join(folder, name), 'utf8') === text;
    assert.ok(isSame, `${name} differs from the facts: run 'npm run generate'`);
  }
});

test('generatedFiles gives the same bytes twice', () => {
  assert.deepEqual([...generatedFiles(facts, resources)], [...generatedFiles(facts, resources)]);
});
