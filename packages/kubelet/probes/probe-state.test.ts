import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Probe } from '@kubernode/api/core/v1';
import { afterProbe, initialProbeState, nextProbeMs, type ProbeKind } from './probe-state.ts';

function verdicts(kind: ProbeKind, probe: Probe, results: readonly boolean[]): (boolean | undefined)[] {
  let state = initialProbeState(kind);
  return results.map((result) => (state = afterProbe(state, kind, probe, result)).verdict);
}

const cases: { name: string; kind: ProbeKind; probe: Probe; results: boolean[]; expected: (boolean | undefined)[] }[] =
  [
    { name: 'readiness needs one success', kind: 'readiness', probe: {}, results: [true], expected: [true] },
    {
      name: 'readiness falls after three failures in a row',
      kind: 'readiness',
      probe: {},
      results: [true, false, false, true, false, false, false],
      expected: [true, true, true, true, true, true, false],
    },
    {
      name: 'liveness holds until the threshold',
      kind: 'liveness',
      probe: { failureThreshold: 2 },
      results: [false, false],
      expected: [true, false],
    },
    {
      name: 'startup has no verdict before its first success',
      kind: 'startup',
      probe: { failureThreshold: 3 },
      results: [false, false, true],
      expected: [undefined, undefined, true],
    },
    {
      name: 'successThreshold counts successes in a row',
      kind: 'readiness',
      probe: { successThreshold: 2 },
      results: [true, false, true, true],
      expected: [false, false, false, true],
    },
  ];
for (const { name, kind, probe, results, expected } of cases) {
  test(`afterProbe: ${name}`, () => assert.deepEqual(verdicts(kind, probe, results), expected));
}

test('afterProbe: a failed liveness probe rests', () => {
  const state = afterProbe(initialProbeState('liveness'), 'liveness', { failureThreshold: 1 }, false);
  assert.equal(state.onHold, true);
  const when = { startedAtMs: 0, started: true, lastProbeMs: 0, nowMs: 5_000 };
  assert.equal(nextProbeMs(state, 'liveness', {}, when), undefined);
});

test('nextProbeMs: waits for the initial delay, then for the period', () => {
  const probe = { initialDelaySeconds: 5, periodSeconds: 2 };
  const state = initialProbeState('readiness');
  const at = (nowMs: number, lastProbeMs: number | undefined) =>
    nextProbeMs(state, 'readiness', probe, { startedAtMs: 1_000, started: true, lastProbeMs, nowMs });
  assert.equal(at(1_000, undefined), 5_000);
  assert.equal(at(6_000, undefined), 0);
  assert.equal(at(6_500, 6_000), 1_500);
});

test('nextProbeMs: others wait for the startup probe, which ends with its success', () => {
  const when = (started: boolean) => ({ startedAtMs: 0, started, lastProbeMs: undefined, nowMs: 0 });
  assert.equal(nextProbeMs(initialProbeState('liveness'), 'liveness', {}, when(false)), undefined);
  assert.equal(nextProbeMs(initialProbeState('startup'), 'startup', {}, when(false)), 0);
  assert.equal(nextProbeMs(initialProbeState('startup'), 'startup', {}, when(true)), undefined);
});
