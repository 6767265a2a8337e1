import type { AuditMode } from '../audit/audit.ts';
import type { AuditOptions } from '../audit/create.ts';
import { parsePolicy } from '../audit/policy-file.ts';
import { boolean, durationMs, integer, parsed, text, textOr } from './flag.ts';
import { fileOf, FlagError, flagGroup, withFlag } from './group.ts';

const modes: readonly AuditMode[] = ['batch', 'blocking', 'blocking-strict'];

const oneOf =
  <T extends string>(known: readonly T[]) =>
  (value: string): T => {
    const found = known.find((each) => each === value);
    if (found === undefined) throw new Error(`${JSON.stringify(value)} is none of ${known.join(', ')}`);
    return found;
  };

const number = (value: string, description: string, fallback: string) =>
  parsed(textOr(value, description, fallback), (given) => {
    if (!/^\d+(\.\d+)?$/.test(given)) throw new Error(`${JSON.stringify(given)} is not a number`);
    return Number(given);
  });

const truncateFlags = (what: 'log' | 'webhook') => ({
  [`audit-${what}-truncate-enabled`]: boolean('leave the objects out of events that are too large', false),
  [`audit-${what}-truncate-max-event-size`]: integer('<bytes>', 'of one event', 100 * 1024),
  [`audit-${what}-truncate-max-batch-size`]: integer('<bytes>', 'of the events that go together', 10 * 1024 * 1024),
});

const deliveryFlags = (what: 'log' | 'webhook', { mode, size }: { mode: AuditMode; size: number }) => ({
  [`audit-${what}-mode`]: parsed(textOr('<mode>', `how events are handed on: ${modes.join(', ')}`, mode), oneOf(modes)),
  [`audit-${what}-batch-buffer-size`]: integer('<number>', 'events that wait; more are lost (batch)', 10_000),
  [`audit-${what}-batch-max-size`]: integer('<number>', 'events that go together (batch)', size),
  [`audit-${what}-batch-max-wait`]: durationMs('events go after so long at the latest (batch)', '30s'),
  [`audit-${what}-batch-throttle-enable`]: boolean('limit how often batches go', what === 'webhook'),
  [`audit-${what}-batch-throttle-qps`]: number('<number>', 'batches a second', what === 'webhook' ? '10' : '0'),
  [`audit-${what}-batch-throttle-burst`]: integer('<number>', 'batches at once', what === 'webhook' ? 15 : 0),
  ...truncateFlags(what),
});

/** Who did what, written down. */
export const auditFlags = flagGroup({
  title: 'audit',
  flags: {
    'audit-policy-file': text('<file>', 'what is written down (audit.k8s.io/v1 Policy)'),
    'audit-log-path': text('<file>', 'where events are written, a line each; - is standard output'),
    'audit-log-format': parsed(textOr('<format>', 'json or legacy', 'json'), oneOf(['json', 'legacy'])),
    'audit-log-version': parsed(textOr('<version>', 'of events', 'audit.k8s.io/v1'), oneOf(['audit.k8s.io/v1'])),
    'audit-log-maxage': integer('<days>', 'old files are kept so long; 0 is for ever', 0),
    'audit-log-maxbackup': integer('<number>', 'old files that are kept; 0 is all', 0),
    'audit-log-maxsize': integer('<megabytes>', 'a file that is larger becomes an old one; 0 is 100', 0),
    'audit-log-compress': boolean('compress old files by gzip', false),
    ...deliveryFlags('log', { mode: 'blocking', size: 1 }),
    'audit-webhook-config-file': text('<file>', 'kubeconfig of the server that takes events'),
    'audit-webhook-initial-backoff': durationMs('before a failed call is repeated', '10s'),
    'audit-webhook-version': parsed(textOr('<version>', 'of events', 'audit.k8s.io/v1'), oneOf(['audit.k8s.io/v1'])),
    ...deliveryFlags('webhook', { mode: 'batch', size: 400 }),
  },
  toOptions: (values) => ({ server: { audit: auditOptions(values) } }),
});

type Values = Readonly<Record<string, unknown>>;

/** Without a policy nothing is written down; without anywhere to write to, neither. */
function auditOptions(values: Values): AuditOptions | undefined {
  const path = values['audit-log-path'] as string | undefined;
  const kubeconfig = values['audit-webhook-config-file'] as string | undefined;
  const policyFile = values['audit-policy-file'] as string | undefined;
  if (policyFile === undefined || (path === undefined && kubeconfig === undefined)) return undefined;
  const policy = withFlag('audit-policy-file', () => parsePolicy(fileOf('audit-policy-file', policyFile)));
  const log = path !== undefined && {
    path,
    format: values['audit-log-format'] as 'json' | 'legacy',
    ageDaysMax: values['audit-log-maxage'] as number,
    backupsMax: values['audit-log-maxbackup'] as number,
    megabytesMax: values['audit-log-maxsize'] as number,
    compress: values['audit-log-compress'] as boolean,
    ...deliveryOf('log', values),
  };
  const webhook = kubeconfig !== undefined && {
    kubeconfig,
    initialBackoffMs: values['audit-webhook-initial-backoff'] as number,
    ...deliveryOf('webhook', values),
  };
  return { policy, log: log || undefined, webhook: webhook || undefined };
}

function deliveryOf(what: 'log' | 'webhook', values: Values) {
  const of = <T>(name: string) => values[`audit-${what}-${name}`] as T;
  const batch = {
    bufferSize: of<number>('batch-buffer-size'),
    batchSizeMax: of<number>('batch-max-size'),
    batchWaitMsMax: of<number>('batch-max-wait'),
    throttleEnable: of<boolean>('batch-throttle-enable'),
    throttleQps: of<number>('batch-throttle-qps'),
    throttleBurst: of<number>('batch-throttle-burst'),
  };
  const eventBytesMax = of<number>('truncate-max-event-size');
  const batchBytesMax = of<number>('truncate-max-batch-size');
  if (batchBytesMax < eventBytesMax) {
    const why = `${batchBytesMax} must be greater than the size of an event (${eventBytesMax})`;
    throw new FlagError(`audit-${what}-truncate-max-batch-size`, why);
  }
  const truncate = of<boolean>('truncate-enabled') ? { eventBytesMax, batchBytesMax } : undefined;
  return { mode: of<AuditMode>('mode'), batch, truncate };
}
