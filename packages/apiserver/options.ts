import type { Compatibility, IsEnabled, Transport } from '@kubernode/api';
import type { Clock, Logger, Random } from '@kubernode/machinery';
import type { Store } from '@kubernode/store';
import type { AuditOptions } from './audit/create.ts';
import type { Text } from './component-config/live-text.ts';
import type { EncryptionOptions } from './encryption/encryption.ts';
import type { FeatureGates } from './feature-gates.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { MetricsRegistry } from './metrics/registry.ts';
import type { Credentials as ClientCredentials } from './outbound/destination.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { ResourceRegistry } from './registry.ts';
import type { RequestLimits } from './request-limits.ts';
import type { RuntimeConfig } from './runtime-config.ts';
import type {
  AdmissionPlugin,
  Authenticator,
  Authorizer,
  ClusterState,
  Connector,
  Impersonator,
  PlainDocument,
  VirtualResource,
  WriteHook,
} from './seams.ts';

/** What an API server is made of. */
export interface ApiServerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: Random;
  /** Made once the watch cache is filled. Without it everyone may do everything: for tests. */
  readonly security?: ((context: SecurityContext) => Security) | undefined;
  /** Served on HTTPS; without it only the in-memory transport is there. */
  readonly listen?: ListenOptions | undefined;
  readonly runtimeConfig?: RuntimeConfig | undefined;
  /** On top of the release's own: `parseFeatureGates` reads the flag. */
  readonly featureGates?: FeatureGates | undefined;
  /** Whose gates are had, and which is told. Default: the release's own. */
  readonly release?: Compatibility | undefined;
  /** CIDRs, the first one primary. Default 10.96.0.0/16. */
  readonly serviceClusterIpRanges?: readonly string[] | undefined;
  /** Inclusive. Default 30000-32767. */
  readonly serviceNodePortRange?: { readonly first: number; readonly last: number } | undefined;
  /** Carried-on subresources: logs, exec, attach, portforward, proxy. */
  readonly connectors?: readonly Connector[] | undefined;
  /** Runs once the server can serve and before it is ready: bootstrap objects. */
  readonly postStart?: readonly PostStartHook[] | undefined;
  readonly writeHooks?: readonly WriteHook[] | undefined;
  /** What /flagz tells: every flag's value by its name. */
  readonly flags?: ReadonlyMap<string, string> | undefined;
  /** `--enable-aggregator-routing`: Services are reached by their endpoints, not by their cluster addresses. */
  readonly routeToEndpoints?: boolean | undefined;
  /** Redirects of extension API servers go on to the client. Default: they are answered with 502. */
  readonly forwardsRedirects?: boolean | undefined;
  /** `--proxy-client-cert-file` and its key, PEM: what extension API servers trust us by. */
  readonly proxyClient?: Pick<ClientCredentials, 'certificate' | 'key'> | undefined;
  /** `--etcd-compaction-interval`: how often the past is forgotten; 0 never. Default 5 minutes. */
  readonly compactionIntervalMs?: number | undefined;
  /** `--event-ttl`: events go so long after their last write; 0 never. Default 1 hour. */
  readonly eventTtlMs?: number | undefined;
  /** What is encrypted in the store. */
  readonly encryption?: EncryptionOptions | undefined;
  /** What requests are written down, and where. */
  readonly audit?: AuditOptions | undefined;
  /** How many requests at a time, how long each, and how the server ends. */
  readonly requestLimits?: Partial<RequestLimits> | undefined;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** PEM. Without it plain HTTP is spoken: for tests and benchmarks. */
  readonly tls?:
    | {
        readonly certificate: Text;
        readonly key: Text;
        /** Client certificates signed by these are verified. */
        readonly clientCa?: Text | undefined;
      }
    | undefined;
}

export interface SecurityContext {
  readonly state: ClusterState;
  /** In memory, as the API server itself; answers once the server has started. */
  readonly transport: Transport;
  /** Calls to webhooks and extension servers. */
  readonly outbound: Outbound;
  /** Where its parts count what they do. */
  readonly metrics: MetricsRegistry;
  /** Feature gates. */
  readonly isEnabled: IsEnabled;
  readonly log: Logger;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

/** All that decides who may do what. */
export interface Security {
  readonly authenticate: Authenticator;
  readonly impersonate?: Impersonator | undefined;
  readonly authorize: Authorizer;
  /** In their order. */
  readonly admission: readonly AdmissionPlugin[];
  readonly virtualResources?: readonly VirtualResource[] | undefined;
  readonly documents?: readonly PlainDocument[] | undefined;
  readonly connectors?: readonly Connector[] | undefined;
}

/** Named, so that /readyz can say which one is not done. */
export interface PostStartHook {
  readonly name: string;
  readonly run: (context: PostStartContext) => Promise<void>;
}

export interface StoredValue {
  readonly key: string;
  readonly value: Uint8Array;
}

export interface PostStartContext {
  /** In memory, as the API server itself. */
  readonly transport: Transport;
  /** What is served now. */
  readonly registry: ResourceRegistry;
  readonly metrics: Metrics;
  /** For what lies beside the objects. */
  readonly store: Store;
  /**
   * Writes objects in their stored form where nothing stands yet, without a request: nothing admits, counts or audits it.
   * Resolves when reads see them; undefined where requests are audited, for nothing may be missing there.
   */
  readonly writeStored: ((values: readonly StoredValue[]) => Promise<void>) | undefined;
  readonly newUid: () => string;
  /** Runs when the server begins to stop, while it still answers; a stop waits for it, but not for long. */
  readonly beforeStop: (work: () => Promise<void>) => void;
  readonly signal: AbortSignal;
}
