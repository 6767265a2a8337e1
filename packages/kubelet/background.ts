import { sleep } from '@kubernode/machinery';
import { rotateLogs } from './containers/log-rotation.ts';
import { ImageGc } from './images/image-gc.ts';
import type { CompleteOptions } from './options.ts';
import type { PodWork } from './pod-work.ts';
import { cleanUpOrphans } from './pods/orphans.ts';
import { followRuntime } from './pods/runtime-events.ts';

const logRotationMs = 10_000;
const housekeepingMs = 60_000;
const imageGcMs = 300_000;

/** What goes on beside the pods' workers: the runtime's events, orphans, log rotation, unused images. */
export function startBackground(options: CompleteOptions, { context, manager, listeners }: PodWork) {
  const { cri, clock, random, log } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const loops: Promise<void>[] = [];
  const every = (periodMs: number, failure: string, step: () => Promise<void>) => {
    const loop = async () => {
      while (!signal.aborted) {
        await step().catch((error: unknown) => log.warn(failure, { error: String(error) }));
        await sleep(clock, periodMs, signal).catch(() => {});
      }
    };
    loops.push(loop());
  };
  const onPod = (podUid: string) => {
    manager.notify(podUid);
    listeners.tell(podUid);
  };
  const onGap = () => {
    manager.notifyAll();
    listeners.tellAll();
  };
  loops.push(followRuntime({ cri, clock, random, log, signal, onPod, onGap }));
  every(housekeepingMs, 'orphaned pods not removed', async () => {
    await cleanUpOrphans(context, (podUid) => manager.has(podUid));
    // The slow safety net: what an event should have told, and did not.
    manager.notifyAll();
  });
  const imageGc = new ImageGc({
    cri,
    clock,
    log,
    highThresholdPercent: options.imageGcHighThresholdPercent,
    lowThresholdPercent: options.imageGcLowThresholdPercent,
  });
  every(imageGcMs, 'unused images not removed', () => imageGc.collect());
  const { containerLogBytesMax: bytesMax, containerLogFilesMax: filesMax } = options;
  if (bytesMax > 0) {
    every(logRotationMs, 'logs not rotated', () => rotateLogs({ cri, clock, log, bytesMax, filesMax }));
  }
  return {
    async stop(): Promise<void> {
      stopped.abort(new Error('the kubelet stops'));
      await Promise.all(loops);
    },
  };
}
