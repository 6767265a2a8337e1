import type { Clock, Logger, Random } from '@kubernode/machinery';
import type { MetricsRegistry } from '../metrics/registry.ts';
import { readKubeconfig } from '../outbound/kubeconfig.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { Audit, auditCounters, type AuditBackend, type AuditMode } from './audit.ts';
import { Batching, type BatchOptions } from './batching.ts';
import { LogFile, type LogFileOptions } from './log-file.ts';
import type { Policy } from './policy.ts';
import type { AuditSink, EventFormat, TruncateOptions } from './sink.ts';
import { WebhookSink } from './webhook.ts';

interface Delivery {
  readonly mode: AuditMode;
  readonly batch: BatchOptions;
  readonly truncate?: TruncateOptions | undefined;
}

/** `--audit-*`. */
export interface AuditOptions {
  readonly policy: Policy;
  readonly log?: (Delivery & LogFileOptions & { readonly format: Exclude<EventFormat, 'list-item'> }) | undefined;
  /** `kubeconfig` is a file's name. */
  readonly webhook?: (Delivery & { readonly kubeconfig: string; readonly initialBackoffMs: number }) | undefined;
}

interface Parts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly outbound: Outbound;
}

/** undefined where nothing is to be written down. Throws where the log file or the kubeconfig cannot be used. */
export function createAudit(options: AuditOptions | undefined, parts: Parts): Audit | undefined {
  if (!options || (!options.log && !options.webhook)) {
    auditCounters(parts.metrics);
    return undefined;
  }
  const { clock, random, outbound } = parts;
  const backends: AuditBackend[] = [];
  const audit = new Audit({ ...parts, policy: options.policy, backends });
  const add = (sink: AuditSink, delivery: Delivery, format: EventFormat) => {
    const { mode, truncate, batch } = delivery;
    const lost = (count: number, why: string) => audit.lost(sink.name, count, why);
    const batchBytesMax = truncate?.batchBytesMax;
    const delivered = mode === 'batch' ? new Batching(sink, batch, { clock, batchBytesMax, lost }) : sink;
    backends.push({ sink: delivered, mode, format, truncate });
  };
  const { log, webhook } = options;
  if (log) add(new LogFile(log, clock), log, log.format);
  if (webhook) {
    const destination = readKubeconfig(webhook.kubeconfig).destination();
    const { initialBackoffMs } = webhook;
    add(new WebhookSink({ outbound, destination, clock, random, initialBackoffMs }), webhook, 'list-item');
  }
  return audit;
}
