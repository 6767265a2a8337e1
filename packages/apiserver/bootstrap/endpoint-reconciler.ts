import type { MasterLeases } from './master-leases.ts';

/** `--endpoint-reconciler-type` */
export const endpointReconcilerTypes = ['lease', 'master-count', 'none'] as const;
export type EndpointReconcilerType = (typeof endpointReconcilerTypes)[number];

/** Decides which addresses the `kubernetes` Service leads to. */
export interface EndpointReconciler {
  /** With this server among them; `listed` are those that the Service leads to now. */
  join(listed: readonly string[]): Promise<readonly string[]>;
  /** Without it. */
  leave(listed: readonly string[]): Promise<readonly string[]>;
}

/** Those that hold a lease: a server that dies drops out when its lease ends. */
export const byLeases = (own: string, leases: MasterLeases): EndpointReconciler => ({
  async join() {
    await leases.renew(own);
    return leases.list();
  },
  async leave() {
    await leases.remove(own);
    return leases.list();
  },
});

/** As many as there are said to be; each server adds itself, and drops who comes after it where they are too many. */
export const byCount = (own: string, countMax: number): EndpointReconciler => ({
  async join(listed) {
    const addresses = [...new Set([...listed, own])].toSorted();
    const excess = Math.max(0, addresses.length - countMax);
    const from = addresses.indexOf(own) + 1;
    const dropped = new Set(Array.from({ length: excess }, (_, step) => addresses[(from + step) % addresses.length]));
    return addresses.filter((address) => !dropped.has(address));
  },
  leave: async (listed) => listed.filter((address) => address !== own),
});
