import type { Pod, Service } from '@kubernode/api/core/v1';
import { readyCondition } from './pods.ts';

interface Seen {
  readonly service: string | undefined;
  readonly pods: ReadonlyMap<string, string>;
}

/**
 * When the oldest change happened that a service's endpoints do not show yet: what programming latency is measured
 * from. Knows only what it has seen: the first look at a service counts from its creation.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /** undefined where nothing changed whose time is known. */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#seen.get(key);
    const podTimes = new Map<string, string>();
    const changed: string[] = [];
    for (const pod of pods) {
      const time = readyCondition(pod)?.lastTransitionTime;
      if (!time) continue;
      podTimes.set(pod.metadata.name, time);
      const known = before?.pods.get(pod.metadata.name);
      if (before && (known === undefined || known < time)) changed.push(time);
    }
    const created = service.metadata.creationTimestamp;
    if (created && (!before?.service || before.service < created)) changed.push(created);
    this.#seen.set(key, { service: created, pods: podTimes });
    return changed.reduce<string | undefined>((least, time) => (least && least < time ? least : time), undefined);
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}
