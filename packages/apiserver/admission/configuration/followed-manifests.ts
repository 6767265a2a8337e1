import { watch } from 'node:fs';
import type { Clock, Logger } from '@kubernode/machinery';
import type { Counter, Gauge, MetricsRegistry } from '../../metrics/registry.ts';
import { readManifests, type Manifests } from './manifests.ts';

export interface FollowOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ManifestMetrics;
  /** Following ends with it; without it there is none. */
  readonly signal: AbortSignal | undefined;
}

/** Directories are looked at this often even where nothing tells of changes. */
const lookAgainMs = 60_000;
/** A change comes as several events. */
const settleMs = 100;

/**
 * What a directory's manifests make, kept up to date: what cannot be read later leaves what was. Throws for what cannot
 * be read at first.
 */
export function followManifests<T>(
  plugin: string,
  directory: string,
  kinds: readonly string[],
  make: (manifests: Manifests) => T,
  { clock, log, metrics, signal }: FollowOptions,
): { readonly current: T } {
  const first = readManifests(directory, kinds);
  const state = { current: make(first) };
  metrics.loaded(plugin, clock.now(), first.hash);
  let { hash } = first;
  const look = (): void => {
    try {
      const manifests = readManifests(directory, kinds);
      if (manifests.hash === hash) return;
      state.current = make(manifests);
      hash = manifests.hash;
      metrics.loaded(plugin, clock.now(), hash);
      log.info('admission manifests were read again', { plugin, directory });
    } catch (error) {
      metrics.failed(plugin, clock.now());
      log.error('changed admission manifests cannot be used, the old ones stay', {
        plugin,
        directory,
        error: String(error),
      });
    }
  };
  if (signal) repeat(directory, clock, signal, look);
  return state;
}

function repeat(directory: string, clock: Clock, signal: AbortSignal, look: () => void): void {
  let cancel: (() => void) | undefined;
  const lookIn = (delayMs: number): void => {
    cancel?.();
    if (signal.aborted) return;
    cancel = clock.after(delayMs, () => {
      look();
      lookIn(lookAgainMs);
    });
  };
  const watcher = watch(directory, { persistent: false }, () => lookIn(settleMs));
  watcher.on('error', () => {});
  signal.addEventListener('abort', () => {
    cancel?.();
    watcher.close();
  });
  lookIn(lookAgainMs);
}

/** Upstream's metrics of manifests. */
export class ManifestMetrics {
  readonly #reloads: Counter;
  readonly #lastTimes: Gauge;
  readonly #info: Gauge;
  readonly #hashes = new Map<string, string>();

  constructor(metrics: MetricsRegistry) {
    const prefix = 'apiserver_manifest_admission_config_controller_';
    const common = { stability: 'ALPHA', labels: ['status', 'plugin', 'apiserver_id_hash'] } as const;
    this.#reloads = metrics.counter({
      ...common,
      name: `${prefix}automatic_reloads_total`,
      help: 'Total number of automatic reloads of admission manifest configuration split by status, plugin, and apiserver identity.',
    });
    this.#lastTimes = metrics.gauge({
      ...common,
      name: `${prefix}automatic_reload_last_timestamp_seconds`,
      help: 'Timestamp of the last automatic reload of admission manifest configuration split by status, plugin, and apiserver identity.',
    });
    this.#info = metrics.gauge({
      name: `${prefix}last_config_info`,
      help: 'Information about the last applied admission manifest configuration with hash as label, split by plugin and apiserver identity.',
      stability: 'ALPHA',
      labels: ['plugin', 'apiserver_id_hash', 'hash'],
    });
  }

  loaded(plugin: string, nowMs: number, hash: string): void {
    this.#count('success', plugin, nowMs);
    const before = this.#hashes.get(plugin);
    if (before !== undefined) this.#info.remove(plugin, '', before);
    this.#hashes.set(plugin, hash);
    this.#info.of(plugin, '', hash).set(1);
  }

  failed(plugin: string, nowMs: number): void {
    this.#count('failure', plugin, nowMs);
  }

  #count(status: string, plugin: string, nowMs: number): void {
    this.#reloads.of(status, plugin, '').add();
    this.#lastTimes.of(status, plugin, '').set(nowMs / 1000);
  }
}
