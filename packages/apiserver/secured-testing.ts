import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore, type Store } from '@kubernode/store';
import type { EndpointOptions } from './bootstrap/service-hook.ts';
import type { FeatureGates } from './feature-gates.ts';
import type { ApiServerOptions } from './options.ts';
import { createPki } from './pki/pki.ts';
import type { SecurityOptions } from './security.ts';
import { startApiServer } from './server.ts';
import { withSecurity, type WithSecurityOptions } from './with-security.ts';

interface SecuredOptions
  extends
    Pick<SecurityOptions, 'kubeletTransport' | 'enableAdmissionPlugins' | 'admissionConfiguration'>,
    Pick<WithSecurityOptions, 'withoutPrepared'>,
    EndpointOptions {
  /** Where it is said to be reached. */
  readonly address?: string;
  readonly store?: Store;
  readonly featureGates?: FeatureGates;
  readonly runtimeConfig?: ApiServerOptions['runtimeConfig'];
}

/** A server as a cluster has it, on a fresh store and with a clock that stands still: what the tests of security ask. */
export async function startSecured(options: SecuredOptions = {}) {
  const clock = new FakeClock();
  const pki = createPki({ clock });
  const common = { clock, log: silentLogger, random: seededRandom(1) };
  const server = await startApiServer({
    store: options.store ?? memoryStore(),
    featureGates: options.featureGates,
    runtimeConfig: options.runtimeConfig,
    ...common,
    ...withSecurity({
      ...common,
      ...options,
      serviceAccountSigningKey: pki.serviceAccountKey,
      serviceRanges: ['10.96.0.0/16'],
      serviceAddress: '10.96.0.1',
      endpoint: () => ({ address: options.address ?? '192.0.2.1', port: 6443 }),
    }),
  });
  const admin = server.transport('system:admin');
  const create = <T>(path: string, body: object, query?: Record<string, string>): Promise<T> =>
    admin.request<T>({ method: 'POST', path, body, ...(query && { query }) });
  return { server, admin, create, clock };
}
