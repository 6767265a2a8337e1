import { StatusError } from '@kubernode/api';
import type { Event } from '@kubernode/api/core/v1';
import { TokenBucket, type Clock } from '@kubernode/machinery';
import { Problems } from '../../component-config/problems.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../../seams.ts';
import { pluginConfiguration } from '../configuration/plugin-configuration.ts';
import { isAbout } from '../refuse.ts';

interface Limit {
  readonly type: string;
  readonly qps: number;
  readonly burst: number;
  /** 0 is the default. */
  readonly cacheSize: number;
}

const defaultCacheSize = 4096;

/** Who shares a bucket, by the type of the limit. */
const keyOf: Readonly<Record<string, (request: AdmissionRequest) => string>> = {
  Server: () => '',
  Namespace: ({ attributes }) => attributes.namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => sourceAndObject(object as unknown as Event),
};

function sourceAndObject({ source, involvedObject: about }: Event): string {
  const { kind, namespace, name, uid, apiVersion } = about;
  return [source.component, source.host, kind, namespace, name, uid, apiVersion].join('');
}

const kind = {
  group: 'eventratelimit.admission.k8s.io',
  versions: ['v1alpha1'],
  kind: 'Configuration',
};

/** Reads `limits`. Throws with all fields that are wrong; there have to be some. */
export function readEventRateLimits(value: unknown): readonly Limit[] {
  const { limits } = pluginConfiguration<{ limits?: readonly Partial<Limit>[] }>(value, kind);
  const problems = new Problems();
  if (!limits?.length) problems.invalid('limits', limits ?? null, 'must not be empty');
  const read = (limits ?? []).map(({ type = '', qps = 0, burst = 0, cacheSize = 0 }, index): Limit => {
    const path = `limits[${index}]`;
    if (!Object.hasOwn(keyOf, type)) problems.notSupported(`${path}.type`, type, Object.keys(keyOf).sort());
    if (!(burst > 0)) problems.invalid(`${path}.burst`, burst, 'must be positive');
    if (!(qps > 0)) problems.invalid(`${path}.qps`, qps, 'must be positive');
    if (type !== 'Server' && cacheSize < 0) problems.invalid(`${path}.cacheSize`, cacheSize, 'must not be negative');
    return { type, qps, burst, cacheSize };
  });
  problems.throwIfAny();
  return read;
}

/**
 * Answers 429 where Events come faster than a limit lets them: for all, of a namespace, of a user, or of a source about
 * an object. Off by default; of limits by key, those that were used last are remembered.
 */
export function eventRateLimit(limits: readonly Limit[], clock: Pick<Clock, 'now'>): AdmissionPlugin {
  const enforcers = limits.map((limit) => enforcer(limit, clock));
  return {
    name: 'EventRateLimit',
    validate(request) {
      // Those of events.k8s.io are let through, as upstream does.
      if (request.dryRun || !isAbout(request, 'events') || !['CREATE', 'UPDATE'].includes(request.operation)) return;
      // Each limit counts the Event, whatever the others say.
      const reached = enforcers.map((enforce) => enforce(request)).filter((text) => text !== undefined);
      if (reached.length === 0) return;
      const distinct = [...new Set(reached)];
      const message = distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
      throw StatusError.of('TooManyRequests', `Too many requests: ${message}`);
    },
  };
}

/** Answers why an Event is one too many. */
function enforcer({ type, qps, burst, cacheSize }: Limit, clock: Pick<Clock, 'now'>) {
  const buckets = new Map<string, TokenBucket>();
  const bucketsMax = cacheSize || defaultCacheSize;
  const bucketFor = (key: string): TokenBucket => {
    const bucket = buckets.get(key) ?? new TokenBucket({ clock, perSecond: qps, burst });
    buckets.delete(key);
    buckets.set(key, bucket);
    if (buckets.size > bucketsMax) buckets.delete(buckets.keys().next().value!);
    return bucket;
  };
  return (request: AdmissionRequest): string | undefined => {
    const key = keyOf[type]!(request);
    return bucketFor(key).tryTake() ? undefined : `limit reached on type ${type} for key ${key}`;
  };
}
