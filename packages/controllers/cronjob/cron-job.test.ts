import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CronJob, Job } from '@kubernode/api/batch/v1';
import { startAlone } from '../testing/controller-alone.ts';
import { cronJobController } from './cron-job.ts';

const namespace = 'default';

/** Jobs never run. */
async function start() {
  const alone = await startAlone(cronJobController);
  return {
    ...alone,
    async names() {
      const { items } = await alone.client.list(Job, { namespace });
      return items.map(({ metadata }) => Number(metadata.name.split('-').at(-1)) % 1440).toSorted((a, b) => a - b);
    },
  };
}

const template = {
  spec: { containers: [{ name: 'c', image: 'example.com/work:1' }], restartPolicy: 'Never' as const },
};
const specOf = (concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace') => ({
  schedule: '*/10 * * * *',
  concurrencyPolicy,
  jobTemplate: { metadata: {}, spec: { template } },
});

// The clock begins at midnight: minutes of the day name the jobs.
const policies: readonly [policy: 'Allow' | 'Forbid' | 'Replace', after: number[]][] = [
  ['Allow', [10, 20, 30]],
  ['Forbid', [10]],
  ['Replace', [30]],
];

for (const [policy, expected] of policies) {
  test(`cronJobController with ${policy} has the right jobs after three times`, async () => {
    await using cluster = await start();
    const { client, clock } = cluster;
    await client.create(CronJob, { metadata: { name: 'tick', namespace }, spec: specOf(policy) });
    for (let minute = 0; minute < 31; minute++) await clock.advance(60_000);
    assert.deepEqual(await cluster.names(), expected);
    const { status } = await client.get(CronJob, 'tick', namespace);
    assert.equal(status.active?.length, expected.length);
  });
}
