import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailureBackoff } from './backoff.ts';

const seconds = (count: number) => count * 1000;

test('FailureBackoff: the first restart is at once, then 10 s doubling to 5 min', () => {
  const backoff = new FailureBackoff({ initialMs: seconds(10), maxMs: seconds(300) });
  let nowMs = 0;
  const waits: number[] = [];
  for (let restart = 0; restart < 8; restart++) {
    const waitMs = backoff.remainingMs('pod/main', nowMs, nowMs);
    waits.push(waitMs / 1000);
    const endedMs = nowMs;
    nowMs += waitMs;
    backoff.next('pod/main', endedMs, nowMs);
    nowMs += seconds(1);
  }
  assert.deepEqual(waits, [0, 10, 20, 40, 80, 160, 300, 300]);
});

test('FailureBackoff: ten minutes of running forget the past', () => {
  const backoff = new FailureBackoff({ initialMs: seconds(10), maxMs: seconds(300) });
  backoff.next('pod/main', 0, 0);
  backoff.next('pod/main', seconds(30), seconds(30));
  assert.equal(backoff.remainingMs('pod/main', seconds(631), seconds(631)), 0);
  backoff.next('pod/main', seconds(631), seconds(631));
  assert.equal(backoff.delayMs('pod/main'), seconds(10));
  backoff.forget('pod/');
  assert.equal(backoff.delayMs('pod/main'), 0);
});
