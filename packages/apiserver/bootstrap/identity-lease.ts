import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { asServer } from './facts.ts';
import { isReason, type Transport } from '@kubernode/api';
import { formatMicroTime, preciseNow, uid, type Clock, type Logger } from '@kubernode/machinery';
import type { Lease } from '@kubernode/api/coordination/v1';
import type { PostStartHook } from '../options.ts';
import type { ClusterState } from '../seams.ts';

export interface IdentityLeaseOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly state: () => ClusterState;
}

const durationSeconds = 3600;
const renewalMs = 10_000;
const collectionMs = 3_600_000;
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

/** The Leases in kube-system by which API servers of one cluster know each other (KEP-1965): its own, and those that ended. */
export function identityLeaseHooks(options: IdentityLeaseOptions): PostStartHook[] {
  const { clock } = options;
  return [
    {
      name: 'start-kube-apiserver-identity-lease-controller',
      async run({ transport, signal }) {
        const host = hostname();
        const name = identityName(host);
        const holderIdentity = `${name}_${uid()}`;
        const renew = () => write(transport, { name, host, holderIdentity, nowMs: preciseNow(clock) });
        await renew();
        repeat(options, signal, renewalMs, renew);
      },
    },
    {
      name: 'start-kube-apiserver-identity-lease-garbage-collector',
      async run({ transport, signal }) {
        const collect = () => collectExpired(options, transport);
        await collect();
        repeat(options, signal, collectionMs, collect);
      },
    },
  ];
}

/** Of the Lease of the API server on that host: 16 bytes of a hash in base32, as upstream (KEP-1965). */
export function identityName(host: string): string {
  const parts = [host, 'kube-apiserver'].map((text) => {
    const bytes = Buffer.from(text);
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
  });
  const hash = createHash('sha256').update(Buffer.concat(parts)).digest().subarray(0, 16);
  const bits = [...hash].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits
    .match(/.{1,5}/g)!
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[parseInt(five.padEnd(5, '0'), 2)]);
  return `apiserver-${letters.join('')}`;
}

/** Until the signal aborts; a failure is logged, and tried again in its turn. */
function repeat({ clock, log }: IdentityLeaseOptions, signal: AbortSignal, everyMs: number, work: () => Promise<void>) {
  let cancel = () => {};
  const later = () => {
    cancel = clock.after(everyMs, () => {
      work()
        .catch((error: unknown) => log.warn('identity leases could not be kept', { error: String(error) }))
        .finally(() => {
          if (!signal.aborted) later();
        });
    });
  };
  later();
  signal.addEventListener('abort', () => cancel(), { once: true });
}

/** Deletes what servers left behind that have not renewed in time. */
async function collectExpired({ clock, state }: IdentityLeaseOptions, transport: Transport): Promise<void> {
  const all = state().list('coordination.k8s.io', 'leases', 'kube-system') as unknown as readonly Lease[];
  const expired = all.filter(({ metadata, spec }) => {
    if (metadata.labels?.['apiserver.kubernetes.io/identity'] !== 'kube-apiserver') return false;
    const { renewTime, leaseDurationSeconds } = spec ?? {};
    if (!renewTime || !leaseDurationSeconds) return true;
    return Date.parse(renewTime) + leaseDurationSeconds * 1000 < clock.now();
  });
  await Promise.all(
    expired.map(async ({ metadata }) => {
      try {
        await transport.request({ method: 'DELETE', path: `${leases}/${metadata.name}` });
      } catch (error) {
        if (!isReason(error, 'NotFound')) throw error;
      }
    }),
  );
}

interface Identity {
  readonly name: string;
  readonly host: string;
  readonly holderIdentity: string;
  readonly nowMs: number;
}

async function write(transport: Transport, { name, host, holderIdentity, nowMs }: Identity): Promise<void> {
  const spec = { holderIdentity, leaseDurationSeconds: durationSeconds, renewTime: formatMicroTime(nowMs) };
  const contentType = 'application/merge-patch+json';
  try {
    await transport.request({
      method: 'PATCH',
      query: asServer,
      path: `${leases}/${name}`,
      contentType,
      body: { spec },
    });
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': host };
    await transport.request({
      method: 'POST',
      path: leases,
      body: { metadata: { name, namespace: 'kube-system', labels }, spec },
    });
  }
}
