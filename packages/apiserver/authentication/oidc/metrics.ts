import { createHash } from 'node:crypto';
import type { Clock } from '@kubernode/machinery';
import type { MetricsRegistry } from '../../metrics/registry.ts';

export interface OidcMetrics {
  timed<T>(issuer: string, run: () => Promise<T>): Promise<T>;
  /** `text` undefined: they could not be fetched. */
  keysFetched(issuer: string, text: string | undefined): void;
  /** The configuration was read again. */
  reloaded(isGood: boolean): void;
}

const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10];
const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Upstream's families of JWT authenticators and of the reloads of their configuration. */
export function oidcMetrics(registry: MetricsRegistry, clock: Clock, serverId = ''): OidcMetrics {
  const server = hashOf(serverId);
  const latency = registry.histogram({
    name: 'apiserver_authentication_jwt_authenticator_latency_seconds',
    help: 'Latency of jwt authentication operations in seconds. This is the time spent authenticating a token for cache miss only (i.e. when the token is not found in the cache).',
    stability: 'ALPHA',
    labels: ['result', 'jwt_issuer_hash'],
    buckets,
  });
  const fetched = registry.gauge({
    name: 'apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds',
    help: 'Timestamp of the last successful or failed JWKS fetch split by result, api server identity and jwt issuer for the JWT authenticator.',
    stability: 'ALPHA',
    labels: ['result', 'jwt_issuer_hash', 'apiserver_id_hash'],
  });
  const reloads = registry.counter({
    name: 'apiserver_authentication_config_controller_automatic_reloads_total',
    help: 'Total number of automatic reloads of authentication configuration split by status and apiserver identity.',
    stability: 'BETA',
    labels: ['status', 'apiserver_id_hash'],
  });
  const reloadedAt = registry.gauge({
    name: 'apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds',
    help: 'Timestamp of the last automatic reload of authentication configuration split by status and apiserver identity.',
    stability: 'BETA',
    labels: ['status', 'apiserver_id_hash'],
  });
  const nowSeconds = () => clock.now() / 1000;
  return {
    async timed(issuer, run) {
      const startedSeconds = nowSeconds();
      let result = 'failure';
      try {
        const value = await run();
        result = 'success';
        return value;
      } finally {
        latency.of(result, hashOf(issuer)).observe(nowSeconds() - startedSeconds);
      }
    },
    keysFetched(issuer, text) {
      fetched.of(text === undefined ? 'failure' : 'success', hashOf(issuer), server).set(nowSeconds());
    },
    reloaded(isGood) {
      const status = isGood ? 'success' : 'failure';
      reloads.of(status, server).add();
      reloadedAt.of(status, server).set(nowSeconds());
    },
  };
}
