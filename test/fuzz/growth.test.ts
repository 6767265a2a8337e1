/** What is refused leaves nothing behind: after thousands of hostile requests the heap is where it was. */
import { seededRandom } from '@kubernode/machinery';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { damagedText, hostileQuery } from './damage.ts';
import { pathOf } from './life.ts';
import { invalidObject, pick, readSamples } from './samples.ts';
import { startTarget } from './target.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const requestsOfRound = 500;
const paddingBytes = 100 * 1024;
/** A third of what the bodies of one round are: nothing of them may stay. */
const growthBytesMax = 16 * 1024 * 1024;

test('refused requests leave nothing in memory', async (context) => {
  const target = await startTarget(context, 1);
  const random = seededRandom(1);
  const samples = readSamples();
  const round = async () => {
    for (let index = 0; index < requestsOfRound; index++) {
      const sample = pick(samples, random);
      const padding = `${index}`.padEnd(paddingBytes, 'x');
      const object = { ...invalidObject(sample, random), [`x${index}`]: padding, metadata: { name: padding } };
      const path = `${pathOf(sample.info)}?dryRun=All&${hostileQuery(random)}&timeoutSeconds=1`;
      await target.send({ method: 'POST', path, body: damagedText(JSON.stringify(object), random) });
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  await round();
  const before = await round();
  const after = await round();
  context.diagnostic(`${before} bytes, then ${after}`);
  assert.ok(after - before < growthBytesMax, `the heap grew by ${after - before} bytes`);
  assert.deepEqual(target.failures, []);
});
