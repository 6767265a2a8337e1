/**
 * Objects of every kind, against the whole server over HTTP: valid ones live, invalid and damaged ones are refused with a
 * reason, nobody gets a 500, all encodings have the same object, and a watcher knows in the end what a list says.
 * KUBERNODE_FUZZ_RUNS (1) is how many rounds, KUBERNODE_FUZZ_SEED (1) where they begin: a failure names its own seed.
 */
import { seededRandom } from '@kubernode/machinery';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Life, pathOf } from './life.ts';
import { readSamples, type Sample } from './samples.ts';
import { startTarget, type Target } from './target.ts';
import { Follower } from './follower.ts';

const runs = Number(process.env['KUBERNODE_FUZZ_RUNS'] ?? 1);
const firstSeed = Number(process.env['KUBERNODE_FUZZ_SEED'] ?? 1);
const only = process.env['KUBERNODE_FUZZ_KIND'] ?? '';

const samples = readSamples().filter(({ info }) => info.kind.kind.includes(only));

test(
  'the server answers valid, invalid and damaged objects of every kind',
  { timeout: 36_000_000 },
  async (context) => {
    const target = await startTarget(context, firstSeed);
    const made = new Map<string, number>();
    for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
      for (const [index, sample] of samples.entries()) {
        const { kind } = sample.info.kind;
        target.hint = `KUBERNODE_FUZZ_SEED=${seed} KUBERNODE_FUZZ_KIND=${kind}`;
        const isMade = await live(target, sample, seed, `f${seed}-${index}`);
        made.set(kind, (made.get(kind) ?? 0) + Number(isMade));
      }
    }
    const count = [...target.counts.values()].reduce((sum, each) => sum + each, 0);
    const total = [...made.values()].reduce((sum, each) => sum + each, 0);
    const never = [...made].filter(([, times]) => times === 0).map(([kind]) => kind);
    context.diagnostic(`seed ${firstSeed}: ${count} requests, ${JSON.stringify(Object.fromEntries(target.counts))}`);
    context.diagnostic(`${total} of ${runs * samples.length} objects were made; never: ${never.join(', ')}`);
    assert.deepEqual(target.failures, []);
    if (only === '') assert.ok(total > 0.7 * runs * samples.length, `only ${total} objects were made`);
  },
);

/** Lives one object's life, while somebody watches its kind. */
async function live(target: Target, sample: Sample, seed: number, name: string): Promise<boolean> {
  const life = new Life(target, sample, seededRandom(seed), name);
  if (!sample.info.verbs.includes('watch')) return (await life.run()).isMade;
  const follower = await Follower.start(target.url, pathOf(sample.info));
  const { isMade } = await life.run();
  const differences = await follower.end();
  if (differences.length > 0) target.fail(`the watcher differs from the list: ${differences.join(', ')}`);
  return isMade;
}
