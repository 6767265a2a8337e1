/**
 * Writes down how the official conformance suite went: `node test/conformance/record.ts FILE...` reads lines
 * `passed|failed|skipped 1.2s NAME`, keeps them in results.tsv, and makes the table in docs/STATUS.md anew.
 * Without files the table is made of what was kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readResults, readTests, statusTable, type Outcome } from './results.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const resultsFile = here('results.tsv');
const statusFile = here('../../docs/STATUS.md');
const [begin, end] = ['<!-- conformance: begin -->', '<!-- conformance: end -->'];

const tests = readTests(readFileSync(here('tests.tsv'), 'utf8'));
const outcomes = new Map<string, Outcome>();
for (const line of readFileSync(resultsFile, 'utf8').split('\n').filter(Boolean)) {
  const [outcome, name] = line.split('\t') as [Outcome, string];
  outcomes.set(name, outcome);
}
for (const file of process.argv.slice(2)) {
  for (const { name, outcome } of readResults(readFileSync(file, 'utf8'))) {
    if (tests.some((test) => test.name === name)) outcomes.set(name, outcome);
    else console.error(`not a conformance test: ${name}`);
  }
}
const lines = [...outcomes].map(([name, outcome]) => `${outcome}\t${name}`).sort();
writeFileSync(resultsFile, `${lines.join('\n')}\n`);

const status = readFileSync(statusFile, 'utf8');
const [from, to] = [status.indexOf(begin), status.indexOf(end)];
if (from < 0 || to < from) throw new Error(`docs/STATUS.md needs the lines ${begin} and ${end}`);
const table = statusTable(tests, outcomes);
writeFileSync(statusFile, `${status.slice(0, from + begin.length)}\n\n${table}\n\n${status.slice(to)}`);
console.log(table.split('\n').slice(0, 8).join('\n'));
