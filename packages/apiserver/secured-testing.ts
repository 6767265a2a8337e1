import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore, type Store } from '@kubernode/store';
import type { KubeletTransport } from './connect/kubelet-transport.ts';
import { createPki } from './pki/pki.ts';
import { startApiServer } from './server.ts';
import { withSecurity } from './with-security.ts';

/** A server as a cluster has it, on a fresh store and with a clock that stands still: what the tests of security ask. */
export async function startSecured(
  options: { readonly store?: Store; readonly kubeletTransport?: KubeletTransport } = {},
) {
  const clock = new FakeClock();
  const pki = createPki({ clock });
  const common = { clock, log: silentLogger, random: seededRandom(1) };
  const server = await startApiServer({
    store: options.store ?? memoryStore(),
    ...common,
    ...withSecurity({
      ...common,
      ...options,
      serviceAccountSigningKey: pki.serviceAccountKey,
      serviceRanges: ['10.96.0.0/16'],
      serviceAddress: '10.96.0.1',
      endpoint: () => ({ address: '192.0.2.1', port: 6443 }),
    }),
  });
  const admin = server.transport('system:admin');
  const create = <T>(path: string, body: object, query?: Record<string, string>): Promise<T> =>
    admin.request<T>({ method: 'POST', path, body, ...(query && { query }) });
  return { server, admin, create, clock };
}
