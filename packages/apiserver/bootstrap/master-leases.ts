import type { Clock } from '@kubernode/machinery';
import { prefixRange, type Store } from '@kubernode/store';
import { registryPrefix } from '../storage/keys.ts';

/** Beside the objects, where no request comes: the API servers of a cluster, each until when it is believed to live. */
const leasesPrefix = `${registryPrefix}masterleases/`;
/** Renewed every ten seconds: one renewal may be late. */
const ttlMs = 15_000;

export interface MasterLeases {
  /** From now on the server at `address` counts, for as long as a lease lasts. */
  renew(address: string): Promise<void>;
  remove(address: string): Promise<void>;
  /** Addresses of the servers that live, in order; what others left behind is removed on the way. */
  list(): Promise<readonly string[]>;
}

/** The leases by which API servers on one store find each other's addresses. */
export function masterLeases(store: Store, clock: Clock): MasterLeases {
  const write = async (address: string, value: Buffer | undefined) => {
    await store.write([{ key: leasesPrefix + address, expect: 'any', ...(value && { value }) }]);
  };
  return {
    renew: (address) => write(address, Buffer.from(JSON.stringify({ expiresMs: clock.now() + ttlMs }))),
    remove: (address) => write(address, undefined),
    async list() {
      const { entries } = await store.list(prefixRange(leasesPrefix));
      const living: string[] = [];
      for (const { key, value, revision } of entries) {
        if (expiryMs(value) > clock.now()) living.push(key.slice(leasesPrefix.length));
        // One that has just been renewed stays.
        else await store.write([{ key, expect: revision }]);
      }
      return living;
    },
  };
}

/** What cannot be read is over. */
function expiryMs(value: Uint8Array): number {
  try {
    const { expiresMs } = JSON.parse(Buffer.from(value).toString()) as { expiresMs?: number };
    return typeof expiresMs === 'number' ? expiresMs : 0;
  } catch {
    return 0;
  }
}
