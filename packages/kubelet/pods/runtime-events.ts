import { CriError, type Cri } from '@kubernode/api/cri';
import { Backoff, sleep, type Clock, type Logger } from '@kubernode/machinery';
import { labels } from '../containers/labels.ts';

export interface RuntimeEventsOptions {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onPod: (podUid: string) => void;
  /** Events may have been missed. */
  readonly onGap: () => void;
}

/** How often a runtime without events is asked (upstream: the generic PLEG's period). */
const relistMs = 1_000;

/**
 * Tells which pods' containers changed, until the signal: by the runtime's own events, or, for a runtime that has none,
 * by comparing what it lists.
 */
export async function followRuntime(options: RuntimeEventsOptions): Promise<void> {
  const { cri, clock, log, signal, onPod, onGap, random } = options;
  const backoff = new Backoff({ initialMs: 100, maxMs: 5_000, random });
  while (!signal.aborted) {
    try {
      for await (const event of cri.getContainerEvents({}, { signal })) {
        backoff.reset();
        const podUid = event.podSandboxStatus?.metadata?.uid;
        if (podUid) onPod(podUid);
        else onGap();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CriError && error.code === 'Unimplemented') return relist(options);
      log.warn('container events were lost', { error: String(error) });
    }
    await sleep(clock, backoff.next(), signal).catch(() => {});
    if (!signal.aborted) onGap();
  }
}

async function relist({ cri, clock, log, signal, onPod }: RuntimeEventsOptions): Promise<void> {
  let before = new Map<string, string>();
  const podOf = new Map<string, string>();
  while (!signal.aborted) {
    try {
      const now = new Map<string, string>();
      const [{ containers }, { items }] = await Promise.all([cri.listContainers({}), cri.listPodSandbox({})]);
      for (const { id, state, labels: own } of [...containers, ...items]) {
        now.set(id, state);
        podOf.set(id, own[labels.podUid] ?? '');
      }
      const changed = new Set<string>();
      for (const id of new Set([...before.keys(), ...now.keys()])) {
        if (before.get(id) !== now.get(id)) changed.add(podOf.get(id) ?? '');
        if (!now.has(id)) podOf.delete(id);
      }
      before = now;
      for (const podUid of changed) if (podUid) onPod(podUid);
    } catch (error) {
      log.warn('containers not listed', { error: String(error) });
    }
    await sleep(clock, relistMs, signal).catch(() => {});
  }
}
