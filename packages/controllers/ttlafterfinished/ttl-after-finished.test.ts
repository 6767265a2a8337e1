import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '@kubernode/api/batch/v1';
import { expiresMs } from './ttl-after-finished.ts';

const time = '2026-01-01T00:00:00Z';
const ended = { type: 'Complete', status: 'True', lastTransitionTime: time };

const cases: readonly [
  what: string,
  ttlSecondsAfterFinished: number | undefined,
  conditions: object[],
  expires: number | undefined,
][] = [
  ['counts from the end', 60, [ended], Date.parse(time) + 60_000],
  ['counts from a failure', 0, [{ ...ended, type: 'Failed' }], Date.parse(time)],
  ['does not count while the job runs', 60, [{ ...ended, type: 'Suspended' }], undefined],
  ['needs a time to live', undefined, [ended], undefined],
];

for (const [what, ttlSecondsAfterFinished, conditions, expires] of cases) {
  test(`expiresMs ${what}`, () => {
    const job = { spec: { ttlSecondsAfterFinished }, status: { conditions } } as unknown as Job;
    assert.equal(expiresMs(job), expires);
  });
}
