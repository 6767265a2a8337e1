import type { Pod } from '@kubernode/api/core/v1';
import { formatTime } from '@kubernode/machinery';

/** The time of all tests of decisions. */
export const nowMs = Date.parse('2026-01-01T12:00:00Z');

export interface PodSketch {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly ready?: boolean;
  readonly readySeconds?: number;
  readonly ageSeconds?: number;
  readonly deleted?: boolean;
  readonly node?: string;
  readonly restarts?: number;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: string[];
  readonly exitCode?: number;
}

const ago = (seconds: number) => formatTime(nowMs - seconds * 1000);

/** A pod as an informer has it: running and ready unless the sketch says otherwise. */
export function podOf(name: string, sketch: PodSketch = {}): Pod {
  const { phase = 'Running', ready = phase === 'Running', readySeconds = 60, ageSeconds = 60, node = 'n1' } = sketch;
  const { exitCode, restarts = 0 } = sketch;
  const state = exitCode === undefined ? {} : { terminated: { exitCode } };
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      creationTimestamp: ago(ageSeconds),
      labels: sketch.labels,
      annotations: sketch.annotations,
      finalizers: sketch.finalizers,
      ...(sketch.deleted ? { deletionTimestamp: ago(1), deletionGracePeriodSeconds: 30 } : {}),
    },
    spec: { containers: [{ name: 'c' }], ...(node ? { nodeName: node } : {}) },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: ago(readySeconds) }],
      containerStatuses: [{ name: 'c', restartCount: restarts, state }],
    },
  } as unknown as Pod;
}
