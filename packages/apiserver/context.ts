import type { IsEnabled, User } from '@kubernode/api';
import type { Clock, Logger, ObjectShape, Random } from '@kubernode/machinery';
import type { Store } from '@kubernode/store';
import type { Audit } from './audit/audit.ts';
import type { AuditedRequest } from './audit/audited-request.ts';
import type { Aggregation } from './aggregation/aggregation.ts';
import type { FlowControl } from './flowcontrol/flow-control.ts';
import type { Health } from './health.ts';
import type { InFlight } from './http/in-flight.ts';
import type { Turns } from './http/turns.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Security } from './options.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { ResourceRegistry, ServedResource } from './registry.ts';
import type { ServerRequest, ServerResponse } from './request.ts';
import type { RequestLimits } from './request-limits.ts';
import type { Route } from './route.ts';
import type { Connector, VirtualResource, WriteHook } from './seams.ts';
import type { Shutdown } from './shutdown.ts';
import type { Version } from './version.ts';
import type { WatchCache } from './storage/watch-cache.ts';
import type { Writer } from './storage/writer.ts';

/** The parts of a running server that a request meets. */
export interface ServerContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: Random;
  readonly store: Store;
  /** Calls to webhooks and extension servers. */
  readonly outbound: Outbound;
  readonly watchCache: WatchCache;
  readonly writer: Writer;
  readonly registry: ResourceRegistry;
  /** Extension API servers. */
  readonly aggregation: Aggregation;
  /** Whether an object is stored by another key than it would be now: it is written even where nothing changes. */
  readonly isStale: (key: string) => boolean;
  /** A uid for a new object. */
  readonly newUid: () => string;
  /** CBOR is a format like JSON (feature gate CBORServingAndStorage). */
  readonly servesCbor: boolean;
  /** Whether a feature gate is on. */
  readonly isEnabled: IsEnabled;
  /** Drops the fields of features that are off, in place; those that `old` has stay. */
  readonly dropDisabled: (object: unknown, shape: ObjectShape, old?: unknown) => void;
  readonly security: Security;
  /** By `group/version/resource/subresource`. */
  readonly virtualResources: ReadonlyMap<string, VirtualResource>;
  /** By `resource/subresource`. */
  readonly connectors: ReadonlyMap<string, Connector>;
  /** By `group/resource`. */
  readonly writeHooks: ReadonlyMap<string, WriteHook>;
  readonly flowControl: FlowControl;
  /** undefined where nothing is written down. */
  readonly audit: Audit | undefined;
  readonly limits: RequestLimits;
  /** What is under way over HTTP, streams apart. */
  readonly inFlight: InFlight;
  /** In which watches over HTTP are told what changed. */
  readonly turns: Turns;
  readonly shutdown: Shutdown;
  readonly health: Health;
  readonly metrics: Metrics;
  /** When it was started, as /statusz tells. */
  readonly startedMs: number;
  /** What runs, as GET /version tells it. */
  readonly version: Version;
  /** Its flags and their values, as /flagz tells them. */
  readonly flags: ReadonlyMap<string, string>;
  /** Answers to paths that are not about a resource. */
  readonly documents: (call: Call) => Promise<ServerResponse | undefined> | ServerResponse | undefined;
  /** `host:port`, as discovery tells it. */
  readonly address: () => string;
  /** Aborts when the server stops: watches end. */
  readonly stopping: AbortSignal;
}

/** One request on its way: who asks for what. */
export interface Call {
  readonly request: ServerRequest;
  readonly route: Route;
  readonly user: User;
  readonly server: ServerContext;
  /** Texts for `Warning` headers; grows on the way. */
  readonly warnings: string[];
  /** Where the request is written down. */
  readonly audit?: AuditedRequest | undefined;
  /** Adds an annotation to the request's audit event; absent where none is kept. */
  readonly annotate?: ((key: string, value: string, level?: 'Metadata' | 'Request') => void) | undefined;
}

/** A call whose resource is known. */
export interface ResourceCall extends Call {
  readonly resource: ServedResource;
}

/** Answers a call, or throws StatusError. */
export type Verb = (call: ResourceCall) => ServerResponseOf | ServerResponse;

export type ServerResponseOf = Promise<ServerResponse>;
