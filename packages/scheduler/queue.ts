import { Heap, type Clock } from '@kubernode/machinery';
import type { ClusterChange, Hint, Plugin } from './framework.ts';
import type { PodInfo } from './pod-info.ts';

/** A pod that waits for a node. */
export interface QueuedPod {
  readonly info: PodInfo;
  /** How often it was tried. */
  readonly attempts: number;
  /** When it first waited; among equally important pods the older comes first. */
  readonly addedMs: number;
}

interface Parked {
  readonly pod: QueuedPod;
  /** Plugins that refused it; a pod that failed otherwise (a lost write) has none, and any change wakes it. */
  readonly plugins: ReadonlySet<string>;
  readonly sinceMs: number;
  /** How long after the change that helps it is tried; without, at once where its pause is over. */
  readonly settleMs: number | undefined;
}

/** A pod that pauses after a failure. */
interface Waiting {
  readonly pod: QueuedPod;
  readonly untilMs: number;
  readonly cancel: () => void;
}

const backoffMsMin = 1000;
const backoffMsMax = 10_000;
/** Pauses that end within the same second end at the same time, as far as the order is concerned. */
const pauseWindowMs = 1000;
const togetherMs = 50;
/** A pod that no hint has woken is tried again after this long. */
const parkedMsMax = 5 * 60_000;

/**
 * Pods that wait for a node: `active` in the order of priority, `backoff` after a failure, and parked until a change
 * of the cluster may help (upstream's activeQ, backoffQ and unschedulable pods). No IO; time comes from the clock.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #hints: ReadonlyMap<string, readonly Hint[]>;
  readonly #onReady: () => void;
  readonly #active = new Heap<QueuedPod>({ compare: byPriority, key: ({ info }) => info.uid });
  readonly #backoff = new Map<string, Waiting>();
  /** Those of them that need not wait where nothing else is to be done (KEP-5142). */
  readonly #early = new Heap<Waiting>({ compare: byPause, key: ({ pod }) => pod.info.uid });
  readonly #parked = new Map<string, Parked>();
  readonly #cancelFlush: () => void;

  constructor(options: { clock: Clock; plugins: readonly Plugin[]; onReady: () => void }) {
    this.#clock = options.clock;
    this.#hints = new Map(options.plugins.map(({ name, requeueOn = [] }) => [name, requeueOn]));
    this.#onReady = options.onReady;
    this.#cancelFlush = this.#flushRegularly();
  }

  get lengths(): { readonly active: number; readonly backoff: number; readonly parked: number } {
    return { active: this.#active.size, backoff: this.#backoff.size, parked: this.#parked.size };
  }

  add(info: PodInfo): void {
    this.#activate({ info, attempts: 0, addedMs: this.#clock.now() });
  }

  /** The pod changed: it keeps its place, and its own change may let it fit. */
  update(info: PodInfo): void {
    const { uid } = info;
    const waiting = this.#backoff.get(uid);
    const parked = this.#parked.get(uid)?.pod;
    const known = waiting?.pod ?? parked ?? this.#active.get(uid);
    if (waiting) this.#keepWaiting({ ...waiting, pod: { ...waiting.pod, info } });
    else this.#activate(known ? { ...known, info } : { info, attempts: 0, addedMs: this.#clock.now() });
  }

  /** Keeps the pod's newest state without waking it: only its status changed. */
  refresh(info: PodInfo): void {
    const parked = this.#parked.get(info.uid);
    if (parked) this.#parked.set(info.uid, { ...parked, pod: { ...parked.pod, info } });
    const waiting = this.#backoff.get(info.uid);
    if (waiting) this.#keepWaiting({ ...waiting, pod: { ...waiting.pod, info } });
    const active = this.#active.get(info.uid);
    if (active) this.#active.push({ ...active, info });
  }

  delete(uid: string): void {
    this.#active.delete(uid);
    this.#parked.delete(uid);
    this.#endPause(uid);
  }

  /** Where no pod is active, one that a change may have helped need not pause to the end. */
  pop(): QueuedPod | undefined {
    const pod = this.#active.pop() ?? this.#early.peek()?.pod;
    if (pod) this.#endPause(pod.info.uid);
    return pod && { ...pod, attempts: pod.attempts + 1 };
  }

  /** Puts back what did not fit, until a change helps; without plugins: tries again after a pause. */
  park(pod: QueuedPod, plugins: ReadonlySet<string>, { settleMs }: { readonly settleMs?: number } = {}): void {
    if (plugins.size === 0) this.#pause(pod, this.#clock.now() + backoffMs(pod));
    else this.#parked.set(pod.info.uid, { pod, plugins, sinceMs: this.#clock.now(), settleMs });
  }

  /** Wakes the pods that a change may help, after their backoff. */
  onChange(change: ClusterChange): void {
    for (const [uid, parked] of this.#parked) {
      if (!this.#mayHelp(change, parked)) continue;
      this.#parked.delete(uid);
      if (parked.settleMs !== undefined) this.#pause(parked.pod, this.#clock.now() + parked.settleMs);
      else {
        this.#pause(parked.pod, parked.sinceMs + backoffMs(parked.pod));
        this.#mayComeEarly(uid);
      }
    }
  }

  close(): void {
    this.#cancelFlush();
    for (const { cancel } of this.#backoff.values()) cancel();
  }

  #mayHelp(change: ClusterChange, { pod, plugins }: Parked): boolean {
    for (const name of plugins) {
      for (const hint of this.#hints.get(name) ?? []) {
        if (hint.on === change.type && (hint.helps?.(change, pod.info) ?? true)) return true;
      }
    }
    return false;
  }

  #pause(pod: QueuedPod, untilMs: number): void {
    const remainingMs = untilMs - this.#clock.now();
    if (remainingMs <= 0) return this.#activate(pod);
    const { uid } = pod.info;
    this.#endPause(uid);
    const cancel = this.#clock.after(remainingMs, () => this.#endPauses());
    this.#backoff.set(uid, { pod, untilMs, cancel });
  }

  /** Pauses that end at nearly the same time end together, so that the more important pod comes first. */
  #endPauses(): void {
    const endMs = this.#clock.now() + togetherMs;
    for (const [uid, { pod, untilMs }] of this.#backoff) {
      if (untilMs > endMs) continue;
      this.#endPause(uid);
      this.#activate(pod);
    }
  }

  #mayComeEarly(uid: string): void {
    const waiting = this.#backoff.get(uid);
    if (!waiting) return;
    this.#early.push(waiting);
    this.#onReady();
  }

  #keepWaiting(waiting: Waiting): void {
    const { uid } = waiting.pod.info;
    this.#backoff.set(uid, waiting);
    if (this.#early.has(uid)) this.#early.push(waiting);
  }

  #endPause(uid: string): void {
    this.#backoff.get(uid)?.cancel();
    this.#backoff.delete(uid);
    this.#early.delete(uid);
  }

  #activate(pod: QueuedPod): void {
    this.#parked.delete(pod.info.uid);
    this.#active.push(pod);
    this.#onReady();
  }

  #flushRegularly(): () => void {
    let cancel = () => {};
    const flush = () => {
      const oldestMs = this.#clock.now() - parkedMsMax;
      for (const { pod, sinceMs } of this.#parked.values()) if (sinceMs <= oldestMs) this.#activate(pod);
      cancel = this.#clock.after(30_000, flush);
    };
    cancel = this.#clock.after(30_000, flush);
    return () => cancel();
  }
}

function backoffMs({ attempts }: QueuedPod): number {
  return Math.min(backoffMsMin * 2 ** Math.max(0, attempts - 1), backoffMsMax);
}

/** The more important first; among equals the one that waits longer. */
function byPriority(a: QueuedPod, b: QueuedPod): number {
  return b.info.priority - a.info.priority || a.addedMs - b.addedMs;
}

/** Whose pause ends first, and among those that end together the more important. */
function byPause(a: Waiting, b: Waiting): number {
  return Math.floor(a.untilMs / pauseWindowMs) - Math.floor(b.untilMs / pauseWindowMs) || byPriority(a.pod, b.pod);
}
