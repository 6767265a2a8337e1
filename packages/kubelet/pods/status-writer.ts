import { isReason } from '@kubernode/api';
import { Pod, type PodStatus } from '@kubernode/api/core/v1';
import type { Client } from '@kubernode/client';
import { Backoff, sleep, type Clock, type Logger } from '@kubernode/machinery';
import { statusPatch } from './status-patch.ts';

export interface StatusWriterOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

interface Entry {
  pod: Pod;
  wanted: PodStatus;
  /** What the API has, as far as this kubelet knows. */
  written: PodStatus;
  /** The revision at which it has that. */
  version: bigint;
  writing: Promise<void> | undefined;
}

/**
 * Brings pods' statuses to the API: one write at a time for each pod, always the newest status, again with back-off
 * until it is written or the pod is gone.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #stopped = new AbortController();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** The last status that was computed here; undefined after a restart. */
  get(podUid: string): PodStatus | undefined {
    return this.#entries.get(podUid)?.wanted;
  }

  set(pod: Pod, status: PodStatus): void {
    const known = this.#entries.get(pod.metadata.uid);
    const entry: Entry = known ?? { pod, wanted: status, ...apiStatus(pod), writing: undefined };
    entry.pod = pod;
    entry.wanted = status;
    // What somebody else changed of the kubelet's part is put right; an informer that lags behind says nothing new.
    if (apiStatus(pod).version > entry.version) Object.assign(entry, apiStatus(pod));
    this.#entries.set(pod.metadata.uid, entry);
    this.#begin(entry);
  }

  /** Resolves when the pod's newest status is written, or the pod is gone. */
  async flush(podUid: string): Promise<void> {
    await this.#entries.get(podUid)?.writing;
  }

  forget(podUid: string): void {
    this.#entries.delete(podUid);
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error('the kubelet stops'));
    await Promise.all([...this.#entries.values()].flatMap(({ writing }) => writing ?? []));
  }

  #begin(entry: Entry): void {
    if (entry.writing || this.#stopped.signal.aborted) return;
    if (statusPatch(entry.written, entry.wanted)) entry.writing = this.#write(entry);
  }

  /** Ends in the same turn in which it finds nothing more to write, so that no status falls in between. */
  async #write(entry: Entry): Promise<void> {
    const { random, log } = this.#options;
    const backoff = new Backoff({ initialMs: 200, maxMs: 30_000, random });
    try {
      for (;;) {
        const patch = statusPatch(entry.written, entry.wanted);
        if (!patch) return;
        const { wanted } = entry;
        try {
          Object.assign(entry, apiStatus(await this.#patch(entry, patch)));
          if (entry.wanted === wanted) return;
        } catch (error) {
          if (isReason(error, 'NotFound') || this.#stopped.signal.aborted) return;
          log.warn('pod status not written', { pod: entry.pod.metadata.name, error: String(error) });
          if (!(await this.#pause(backoff.next()))) return;
        }
      }
    } finally {
      entry.writing = undefined;
    }
  }

  /** Whether to go on. */
  async #pause(delayMs: number): Promise<boolean> {
    try {
      await sleep(this.#options.clock, delayMs, this.#stopped.signal);
      return true;
    } catch {
      return false;
    }
  }

  #patch({ pod }: Entry, status: Record<string, unknown>): Promise<Pod> {
    const { name, namespace, uid } = pod.metadata;
    const body = { metadata: { uid }, status };
    return this.#options.client.patch(Pod, { name, namespace, subresource: 'status' }, { type: 'strategic', body });
  }
}

const apiStatus = ({ metadata, status }: Pod) => ({ written: status, version: BigInt(metadata.resourceVersion || 0) });
