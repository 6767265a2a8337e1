import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { asServer } from './facts.ts';
import { isReason, type Transport } from '@kubernode/api';
import { formatMicroTime, uid, type Clock, type Logger } from '@kubernode/machinery';
import type { PostStartHook } from '../options.ts';

export interface IdentityLeaseOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

const durationSeconds = 3600;
/** Six chances before the lease ends; every ten seconds, as upstream, would keep an idle disk busy. */
const renewalMs = 600_000;

/** The Lease in kube-system by which API servers of one cluster know each other (KEP-1965). */
export function identityLeaseHook({ clock, log }: IdentityLeaseOptions): PostStartHook {
  return {
    name: 'apiserver-identity-lease',
    async run({ transport, signal }) {
      const host = hostname();
      const name = `apiserver-${createHash('sha256').update(host).digest('hex').slice(0, 26)}`;
      const holderIdentity = `${name}_${uid()}`;
      const renew = () => write(transport, { name, host, holderIdentity, nowMs: clock.now() });
      await renew();
      let cancel = () => {};
      const renewLater = () => {
        cancel = clock.after(renewalMs, () => {
          renew()
            .catch((error: unknown) => log.warn('the identity lease was not renewed', { error: String(error) }))
            .finally(() => {
              if (!signal.aborted) renewLater();
            });
        });
      };
      renewLater();
      signal.addEventListener('abort', () => cancel(), { once: true });
    },
  };
}

interface Identity {
  readonly name: string;
  readonly host: string;
  readonly holderIdentity: string;
  readonly nowMs: number;
}

async function write(transport: Transport, { name, host, holderIdentity, nowMs }: Identity): Promise<void> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const spec = { holderIdentity, leaseDurationSeconds: durationSeconds, renewTime: formatMicroTime(nowMs) };
  const contentType = 'application/merge-patch+json';
  try {
    await transport.request({ method: 'PATCH', query: asServer, path: `${path}/${name}`, contentType, body: { spec } });
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': host };
    await transport.request({
      method: 'POST',
      path,
      body: { metadata: { name, namespace: 'kube-system', labels }, spec },
    });
  }
}
