import type { Probe } from '@kubernode/api/core/v1';

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

/** What one probe concluded so far. `verdict` undefined: neither threshold was reached since the container began. */
export interface ProbeState {
  readonly verdict: boolean | undefined;
  readonly lastResult: boolean | undefined;
  /** Results in a row that equal `lastResult`. */
  readonly run: number;
  /** A liveness or startup probe that failed rests until its container is a new one. */
  readonly onHold: boolean;
}

/** A container that just began: alive until proven otherwise, ready only when proven (upstream: prober worker). */
export function initialProbeState(kind: ProbeKind): ProbeState {
  const verdict = { startup: undefined, liveness: true, readiness: false }[kind];
  return { verdict, lastResult: undefined, run: 0, onHold: false };
}

/** The state after one more result. The verdict turns only when a threshold is reached. */
export function afterProbe(state: ProbeState, kind: ProbeKind, probe: Probe, success: boolean): ProbeState {
  const run = state.lastResult === success ? state.run + 1 : 1;
  const threshold = success ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  if (run < threshold) return { ...state, lastResult: success, run };
  const onHold = !success && kind !== 'readiness';
  return { verdict: success, lastResult: success, run: onHold ? 0 : run, onHold };
}

/**
 * Milliseconds until the next probe of a running container, from now; undefined: do not probe (any more). Startup
 * probes end with success; the others wait for `started`.
 */
export function nextProbeMs(
  state: ProbeState,
  kind: ProbeKind,
  probe: Probe,
  {
    startedAtMs,
    started,
    lastProbeMs,
    nowMs,
  }: {
    readonly startedAtMs: number;
    readonly started: boolean;
    readonly lastProbeMs: number | undefined;
    readonly nowMs: number;
  },
): number | undefined {
  if (state.onHold) return undefined;
  if (kind === 'startup' ? started : !started) return undefined;
  const firstMs = startedAtMs + (probe.initialDelaySeconds ?? 0) * 1000;
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const dueMs = lastProbeMs === undefined ? firstMs : Math.max(firstMs, lastProbeMs + periodMs);
  return Math.max(0, dueMs - nowMs);
}
