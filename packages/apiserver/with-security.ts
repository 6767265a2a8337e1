import type { Clock, Logger } from '@kubernode/machinery';
import { bootstrapHooks } from './bootstrap/bootstrap.ts';
import { identityLeaseHooks } from './bootstrap/identity-lease.ts';
import type { KubernetesServiceOptions } from './bootstrap/kubernetes-service.ts';
import type { EndpointOptions } from './bootstrap/service-hook.ts';
import type { ApiServerOptions } from './options.ts';
import type { ClusterState } from './seams.ts';
import { createSecurity, type SecurityOptions } from './security.ts';

export interface WithSecurityOptions
  extends Omit<SecurityOptions, 'transport'>, KubernetesServiceOptions, EndpointOptions {
  /** Of tests: see BootstrapOptions. */
  readonly withoutPrepared?: boolean | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * What makes an API server one that knows whom to trust: spread into the options of `startApiServer`. Its hooks fill a
 * fresh cluster with what the policy needs.
 */
export function withSecurity(options: WithSecurityOptions): Required<Pick<ApiServerOptions, 'security' | 'postStart'>> {
  let watched: ClusterState | undefined;
  return {
    security: (context) => {
      watched = context.state;
      return createSecurity({ ...context, ...options, transport: () => context.transport }, context.state);
    },
    // Hooks run after `security` was asked.
    postStart: [
      ...bootstrapHooks({ ...options, state: () => watched! }),
      ...identityLeaseHooks({ ...options, state: () => watched! }),
    ],
  };
}
