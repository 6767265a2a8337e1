import type { Clock, Logger } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';

export interface Kept {
  readonly group: string;
  readonly resource: string;
  /** Of the objects that matter. */
  readonly names: ReadonlySet<string>;
  readonly namespace?: string | undefined;
}

export interface KeepOptions {
  readonly state: ClusterState;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Also without a change it is looked at this often; never where it is absent. */
  readonly everyMs?: number | undefined;
}

/** Changes settle this long before they are looked at; a failure is tried again after it, and then less often. */
const settleMs = 1_000;
const retryMsMax = 60_000;

/** Runs `ensure` after each change of the objects that are kept, until the signal aborts. */
export function keep(options: KeepOptions, kept: readonly Kept[], ensure: () => Promise<void>): void {
  const { state, clock, log, signal, everyMs } = options;
  let cancel: (() => void) | undefined;
  let isSoon = false;
  let isRunning = false;
  let isDirty = false;
  let waitMs = settleMs;
  const schedule = () => {
    isDirty = true;
    if (signal.aborted || isRunning || isSoon) return;
    isSoon = true;
    cancel?.();
    cancel = clock.after(waitMs, () => void run());
  };
  const rest = () => {
    if (everyMs !== undefined && !signal.aborted) cancel = clock.after(everyMs, () => void run());
  };
  const run = async () => {
    cancel = undefined;
    isSoon = false;
    isRunning = true;
    isDirty = false;
    try {
      await ensure();
      waitMs = settleMs;
    } catch (error) {
      if (!signal.aborted) log.warn('objects of the API server could not be kept', { error: String(error) });
      waitMs = Math.min(waitMs * 2, retryMsMax);
      isDirty = true;
    }
    isRunning = false;
    if (isDirty) schedule();
    else rest();
  };
  rest();
  const stops = kept.map(({ group, resource, names, namespace }) =>
    state.onName(group, resource, (name, ofNamespace) => {
      if ((namespace === undefined || ofNamespace === namespace) && names.has(name)) schedule();
    }),
  );
  signal.addEventListener(
    'abort',
    () => {
      cancel?.();
      for (const stop of stops) stop();
    },
    { once: true },
  );
}
