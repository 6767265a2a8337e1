import type { Transport } from '@kubernode/api';
import { bootstrapHook } from './bootstrap/bootstrap.ts';
import { identityLeaseHook } from './bootstrap/identity-lease.ts';
import type { KubernetesServiceOptions } from './bootstrap/kubernetes-service.ts';
import type { ApiServerOptions } from './options.ts';
import type { ClusterState } from './seams.ts';
import { createSecurity, type SecurityOptions } from './security.ts';
import type { Logger } from '@kubernode/machinery';

export interface WithSecurityOptions extends Omit<SecurityOptions, 'transport'>, KubernetesServiceOptions {
  readonly log: Logger;
  /** PEM of the authority of client certificates, and of front proxies: told to extension API servers. */
  readonly clientCa?: string | undefined;
  readonly requestHeaderCa?: string | undefined;
}

/**
 * What makes an API server one that knows whom to trust: spread into the options of `startApiServer`. Its hooks fill a
 * fresh cluster with what the policy needs.
 */
export function withSecurity(options: WithSecurityOptions): Required<Pick<ApiServerOptions, 'security' | 'postStart'>> {
  let transport: Transport | undefined;
  let state: ClusterState | undefined;
  const ownTransport = (): Transport => {
    if (transport) return transport;
    throw new Error('the API server cannot write yet: its hooks have not begun');
  };
  return {
    security: (watched) => {
      state = watched;
      return createSecurity({ ...options, transport: ownTransport }, watched);
    },
    postStart: [
      {
        name: 'own-transport',
        async run(context) {
          transport = context.transport;
        },
      },
      bootstrapHook({ ...options, state: () => state! }),
      identityLeaseHook(options),
    ],
  };
}
