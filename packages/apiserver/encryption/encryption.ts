import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Clock, Logger } from '@kubernode/machinery';
import type { Store } from '@kubernode/store';
import type { MetricsRegistry } from '../metrics/registry.ts';
import { followFile, NotYet } from '../component-config/follow-file.ts';
import { parseEncryption } from './configuration.ts';
import { EncryptedStore, type CountTransformation } from './encrypted-store.ts';
import { buildTransformers, type Transformers } from './providers.ts';

/** `--encryption-provider-config` */
export interface EncryptionOptions {
  /** The file's name. */
  readonly path: string;
  /** `--encryption-provider-config-automatic-reload`: a file that changes is read again. */
  readonly reload: boolean;
}

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** Other keys are in force: what could not be read may be read now. */
  readonly onReload?: (() => void) | undefined;
}

/** Encryption at rest, at work. */
export interface Encryption {
  readonly store: EncryptedStore;
  /** What is wrong with key management services; [] where nothing is. */
  readonly problems: () => readonly string[];
  /** There is a health check for them. */
  readonly hasHealthCheck: boolean;
  stop(): void;
}

/** Requests that began with the old keys end with them. */
const closeGraceMs = 20_000;

/** Throws where the file cannot be used. */
export async function createEncryption({ path, reload }: EncryptionOptions, parts: Parts): Promise<Encryption> {
  const { clock, log, store } = parts;
  const text = nonEmpty(readFileSync(path, 'utf8'), path);
  let transformers: Transformers = await buildTransformers(parseEncryption(text), { clock, log });
  const counts = reloadMetrics(parts.metrics, clock);
  const stopping = new AbortController();
  const takeOver = async (changed: string) => {
    const next = await buildTransformers(parseEncryption(nonEmpty(changed, path)), { clock, log });
    const problems = next.problems();
    if (stopping.signal.aborted || problems.length > 0) {
      next.close();
      throw new NotYet(stopping.signal.aborted ? 'the server stops' : problems.join(', '));
    }
    const old = transformers;
    transformers = next;
    clock.after(closeGraceMs, () => old.close());
    log.info('the encryption configuration was read again', { path, hash: hashOf(changed) });
    parts.onReload?.();
  };
  if (reload) {
    followFile({ path, text, clock, log, signal: stopping.signal, onChange: takeOver, onAttempt: counts });
  }
  return {
    store: new EncryptedStore(store, () => transformers, transformationCounter(parts.metrics)),
    problems: () => transformers.problems(),
    hasHealthCheck: reload || transformers.usesKms,
    stop() {
      stopping.abort();
      transformers.close();
    },
  };
}

function nonEmpty(text: string, path: string): string {
  if (text === '') throw new Error(`encryption provider configuration file ${JSON.stringify(path)} is empty`);
  return text;
}

const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

function reloadMetrics(registry: MetricsRegistry, clock: Clock): (isGood: boolean) => void {
  const prefix = 'apiserver_encryption_config_controller_automatic_reload';
  const total = registry.counter({
    name: `${prefix}s_total`,
    help: 'Total number of reload successes and failures of encryption configuration split by apiserver identity.',
    stability: 'ALPHA',
    labels: ['status', 'apiserver_id_hash'],
  });
  const last = registry.gauge({
    name: `${prefix}_last_timestamp_seconds`,
    help: 'Timestamp of the last successful or failed automatic reload of encryption configuration split by apiserver identity.',
    stability: 'ALPHA',
    labels: ['status', 'apiserver_id_hash'],
  });
  return (isGood) => {
    const status = isGood ? 'success' : 'failure';
    total.of(status, '').add();
    last.of(status, '').set(clock.now() / 1000);
  };
}

function transformationCounter(registry: MetricsRegistry): CountTransformation {
  const total = registry.counter({
    name: 'apiserver_storage_transformation_operations_total',
    help:
      "Total number of transformations. Successful transformation will have a status 'OK' and a varied status string " +
      'when the transformation fails. The status, resource, and transformation_type fields can be used for alerting ' +
      'purposes. For example, you can monitor for encryption/decryption failures using the transformation_type (e.g., ' +
      'from_storage for decryption and to_storage for encryption). Additionally, these fields can be used to ensure ' +
      'that the correct transformers are applied to each resource.',
    stability: 'ALPHA',
    labels: ['resource', 'transformation_type', 'transformer_prefix', 'status'],
  });
  return (...labels) => total.of(...labels).add();
}
