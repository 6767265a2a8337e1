import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError, type Transport } from '@kubernode/api';
import type { PodStatus } from '@kubernode/api/core/v1';
import { createClient } from '@kubernode/client';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { testPod } from '../testing/objects.ts';
import { StatusWriter } from './status-writer.ts';

/** An API that takes statuses one after the other, when it is told to. */
function slowApi() {
  let version = 1;
  const waiting: { phase: string; answer: (error?: Error) => void }[] = [];
  const transport = {
    request: ({ body }: { body: { status: PodStatus } }) =>
      new Promise((resolve, reject) => {
        const pod = testPod({}, { resourceVersion: String(++version) });
        const answer = (error?: Error) => (error ? reject(error) : resolve({ ...pod, status: body.status }));
        waiting.push({ phase: body.status.phase ?? '', answer });
      }),
  } as unknown as Transport;
  return { transport, waiting };
}

const turn = () => new Promise(setImmediate);

test('StatusWriter: one write at a time, and the newest status wins', async () => {
  const { transport, waiting } = slowApi();
  const clock = new FakeClock();
  const writer = new StatusWriter({ client: createClient(transport), clock, random: Math.random, log: silentLogger });
  const pod = testPod();
  writer.set(pod, { phase: 'Pending' });
  writer.set(pod, { phase: 'Unknown' });
  writer.set(pod, { phase: 'Running' });
  assert.deepEqual(
    waiting.map(({ phase }) => phase),
    ['Pending'],
  );
  waiting[0]?.answer();
  await turn();
  assert.deepEqual(
    waiting.map(({ phase }) => phase),
    ['Pending', 'Running'],
  );
  const flushed = writer.flush(pod.metadata.uid);
  waiting[1]?.answer();
  await flushed;
  // An informer that lags behind must not bring the old status back.
  writer.set({ ...pod, status: { phase: 'Pending' } }, { phase: 'Running' });
  assert.equal(waiting.length, 2);
  writer.set(pod, { phase: 'Succeeded' });
  assert.equal(waiting.length, 3);
  await Promise.all([writer.stop(), turn().then(() => waiting[2]?.answer())]);
});

test('StatusWriter: tries again after a failure, and gives up on a pod that is gone', async () => {
  const { transport, waiting } = slowApi();
  const clock = new FakeClock();
  const writer = new StatusWriter({ client: createClient(transport), clock, random: Math.random, log: silentLogger });
  writer.set(testPod(), { phase: 'Running' });
  waiting[0]?.answer(new Error('no connection'));
  await clock.advance(300);
  assert.equal(waiting.length, 2);
  waiting[1]?.answer(StatusError.notFound({ group: '', plural: 'pods' }, 'web'));
  await writer.flush('uid-web');
  await clock.advance(60_000);
  assert.equal(waiting.length, 2);
});
