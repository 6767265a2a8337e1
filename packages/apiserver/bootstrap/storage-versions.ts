import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { isReason, scheme, type Transport } from '@kubernode/api';
import type { ServerStorageVersion, StorageVersion } from '@kubernode/api/internal/v1alpha1';
import { formatTime, type Clock, type Logger } from '@kubernode/machinery';
import { compareVersions } from '../customresources/version-order.ts';
import type { PostStartHook } from '../options.ts';
import type { ResourceRegistry } from '../registry.ts';
import { identityName } from './identity-lease.ts';
import { retiredVersions } from './retired-versions.ts';

const path = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';
const againMs = 600_000;
const triesMax = 3;

/** What a server tells of a resource, but for which server it is. */
type ResourceVersions = Required<Omit<ServerStorageVersion, 'apiServerID'>>;

/**
 * Tells the other servers of the cluster, by StorageVersion objects, in which version this one encodes each built-in
 * resource, and which it can read (KEP-2339). Looked at again every ten minutes, in case somebody changed them.
 */
export function storageVersionHook({ clock, log }: { readonly clock: Clock; readonly log: Logger }): PostStartHook {
  return {
    name: 'built-in-resources-storage-version-updater',
    async run({ transport, registry, signal }) {
      if (!registry.preferred('internal.apiserver.k8s.io', 'storageversions')) {
        log.warn('StorageVersionAPI has no effect: internal.apiserver.k8s.io/v1alpha1 is not served');
        return;
      }
      const apiServerID = identityName(hostname());
      const publish = async () => {
        for (const [name, versions] of storageVersions(registry)) {
          await publishOne(transport, name, { apiServerID, ...versions }, clock);
        }
      };
      const failed = (error: unknown) => log.warn('storage versions could not be told', { error: String(error) });
      let cancel = () => {};
      const later = () => {
        if (!signal.aborted) cancel = clock.after(againMs, () => void publish().catch(failed).finally(later));
      };
      signal.addEventListener('abort', () => cancel(), { once: true });
      await publish().catch(failed);
      later();
    },
  };
}

/** Of every built-in resource that is stored, by `<group>.<resource>`; those of the core group are of `core`. */
function storageVersions(registry: ResourceRegistry): Map<string, ResourceVersions> {
  const found = new Map<string, ResourceVersions>();
  for (const { info, group, plural, custom } of registry.resources()) {
    const name = `${group || 'core'}.${plural}`;
    // Events of both groups are the same objects.
    if (custom || !info.storageVersionHash || found.has(name) || name === 'events.k8s.io.events') continue;
    const known = scheme.resources.filter((other) => other.group === group && other.plural === plural);
    const retired = retiredVersions[name]?.split(' ') ?? [];
    const decodable = [...new Set([...known.map(({ version }) => version), ...retired])].sort(compareVersions);
    const named = (version: string) => (group ? `${group}/${version}` : version);
    const encoding = decodable.find((version) => isStoredIn(info.storageVersionHash, group, version, info.kind.kind));
    const decodableVersions = decodable.map(named);
    if (name === 'core.events' && registry.group('events.k8s.io')) decodableVersions.push('events.k8s.io/v1');
    found.set(name, {
      encodingVersion: named(encoding ?? info.version),
      decodableVersions,
      servedVersions: decodable.filter((version) => registry.find(group, version, plural)).map(named),
    });
  }
  return found;
}

/** Discovery tells the version only as a hash. */
function isStoredIn(hash: string, group: string, version: string, kind: string): boolean {
  const digest = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString('base64') === hash;
}

async function publishOne(transport: Transport, name: string, own: ServerStorageVersion, clock: Clock): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const object = await getOrCreate(transport, name);
      const others = object.status.storageVersions ?? [];
      const index = others.findIndex(({ apiServerID }) => apiServerID === own.apiServerID);
      const all = index < 0 ? [...others, own] : others.with(index, own);
      const body = withStorageVersions(object, all, clock.now());
      await transport.request({ method: 'PUT', path: `${path}/${name}/status`, body });
      return;
    } catch (error) {
      // Another server writes the same objects as it starts.
      if (tries === triesMax || !(isReason(error, 'Conflict') || isReason(error, 'AlreadyExists'))) throw error;
    }
  }
}

async function getOrCreate(transport: Transport, name: string): Promise<StorageVersion> {
  try {
    return await transport.request<StorageVersion>({ method: 'GET', path: `${path}/${name}` });
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
    return transport.request<StorageVersion>({ method: 'POST', path, body: { metadata: { name }, spec: {} } });
  }
}

/** With what the servers tell, the version that they agree on, and the condition that they do. */
export function withStorageVersions(
  object: StorageVersion,
  told: readonly ServerStorageVersion[],
  nowMs: number,
): StorageVersion {
  const { conditions = [], commonEncodingVersion: before } = object.status;
  const encodings = new Set(told.map(({ encodingVersion }) => encodingVersion));
  const common = encodings.size === 1 ? told[0]?.encodingVersion : undefined;
  const type = 'AllEncodingVersionsEqual';
  const known = conditions.find((condition) => condition.type === type);
  const status = common === undefined ? 'False' : 'True';
  const isOther = before !== undefined && common !== undefined && before !== common;
  const isSame = known?.status === status && !isOther;
  const { generation } = object.metadata;
  const condition = {
    type,
    status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: isSame ? known.lastTransitionTime : formatTime(nowMs),
    reason: common === undefined ? 'CommonEncodingVersionUnset' : 'CommonEncodingVersionSet',
    message: common === undefined ? 'Common encoding version unset' : 'Common encoding version set',
  };
  return {
    ...object,
    status: {
      storageVersions: [...told],
      ...(common === undefined ? {} : { commonEncodingVersion: common }),
      conditions: known ? conditions.map((one) => (one === known ? condition : one)) : [...conditions, condition],
    },
  };
}
