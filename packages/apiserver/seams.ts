import type { Duplex } from 'node:stream';
import type { ReviewedRequest } from './admission/matching/reviewed-request.ts';
import type { FieldCause, KindDefinition, KubernetesObject, User } from '@kubernode/api';

/** What a request is about, once its path is read; the vocabulary of authorization, admission and audit. */
export interface Attributes {
  readonly verb: string;
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural; '' where the request is not about a resource. */
  readonly resource: string;
  readonly subresource: string;
  /** '' for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  /** '' for collections. */
  readonly name: string;
  /** The URL path of a request that is not about a resource; else ''. */
  readonly path: string;
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
}

/** What authentication reads of a request; certificates are those of the TLS connection. */
export interface Credentials {
  /** Of the URL, without its query: who may be anonymous depends on it. */
  readonly path?: string | undefined;
  /** Names and values in turn, as they came: where a value may contain a comma. */
  readonly rawHeaders?: readonly string[] | undefined;
  /** Lower-case names; a header that came several times as a list, or joined with ', '. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** DER of what the client sent with its certificate, to be believed only as far as it is signed. */
  readonly clientIntermediates?: readonly Uint8Array[] | undefined;
  /** DER of the verified client certificate; the same Buffer for all requests of a connection (answers are cached by it). */
  readonly clientCertificate?: Uint8Array | undefined;
  /** A certificate came, but TLS could not verify it: refused, unless other credentials are good. */
  readonly clientCertificateInvalid?: boolean | undefined;
}

/**
 * Finds out who asks. Throws StatusError Unauthorized for credentials that are wrong; none at all is anonymous. The
 * same credentials give the same object, as long as they are cached: decisions are cached by it.
 */
export type Authenticator = (credentials: Credentials) => User | Promise<User>;

/**
 * Who the request is to be treated as, between authentication and authorization: `user` itself without Impersonate-*
 * headers. Throws StatusError Forbidden where `user` may not act as somebody else, BadRequest for incomplete headers.
 */
export type Impersonator = (user: User, credentials: Credentials, attributes: Attributes) => User | Promise<User>;

export type Decision =
  | { readonly allowed: true; readonly reason?: string }
  /** `denied`: nobody after this one is asked. */
  | {
      readonly allowed: false;
      readonly denied?: boolean;
      readonly reason: string;
      /** Why it could not be decided: the request is answered with 500, unless somebody allows it. */
      readonly error?: string;
    };

/** Synchronous where it can be: the answer comes from informers' local state. */
export type Authorizer = (user: User, attributes: Attributes) => Decision | Promise<Decision>;

export interface AdmissionRequest {
  readonly attributes: Attributes;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly user: User;
  readonly definition: KindDefinition;
  /** What is to be stored; a mutating plugin changes it in place. Undefined for DELETE. */
  readonly object: KubernetesObject | undefined;
  /** Frozen; undefined for CREATE. */
  readonly oldObject: KubernetesObject | undefined;
  readonly dryRun: boolean;
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
  /** Adds an annotation to the request's audit event, where one is kept; from a level on, `Metadata` if none is named. */
  readonly annotate?: ((key: string, value: string, level?: 'Metadata' | 'Request') => void) | undefined;
  /** What webhooks and policies need beyond that; made when first asked for. */
  readonly review?: ReviewedRequest | undefined;
}

/** One admission plugin: has the hooks that it uses. Throws StatusError to refuse (upstream: Forbidden, mostly). */
export interface AdmissionPlugin {
  readonly name: string;
  /** The plurals of what it has something to say of; it is not asked about others. Absent: everything. */
  readonly resources?: readonly string[] | undefined;
  /** It is also for CONNECT: exec, attach, port-forward, proxies. */
  readonly connects?: boolean | undefined;
  readonly mutate?: (request: AdmissionRequest) => void | Promise<void>;
  readonly validate?: (
    request: AdmissionRequest,
  ) => void | readonly FieldCause[] | Promise<void> | Promise<readonly FieldCause[]>;
}

/** What admission and authorization read of the cluster: frozen objects out of the watch cache, without a round trip. */
export interface ClusterState {
  get(group: string, resource: string, name: string, namespace?: string): KubernetesObject | undefined;
  list(group: string, resource: string, namespace?: string): readonly KubernetesObject[];
  /** Calls back after each change of a resource; answers the way to stop. */
  onChange(group: string, resource: string, handler: (object: KubernetesObject, deleted: boolean) => void): () => void;
  /** As `onChange`, for who asks only what changed: the objects are not looked at. '' where there is no namespace. */
  onName(group: string, resource: string, handler: (name: string, namespace: string) => void): () => void;
}

/** A POST that is answered, not stored: reviews, and a service account's `token`. Authorized by the lifecycle already. */
export interface VirtualResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** '' for the resource itself. */
  readonly subresource: string;
  /** The kind of the body, and of the answer. */
  readonly kind: string;
  /** Fields that are there before anybody sets them, as null: who owns what depends on it. */
  readonly blank?: Readonly<Record<string, unknown>> | undefined;
  /** Of kinds that are no resources of their own. */
  readonly defaults?: (object: KubernetesObject) => void;
  /** It calls `admit` when it has filled in what admission is to see; else that was done before. */
  readonly admitsItself?: boolean | undefined;
  /** Is handed its own decoded and defaulted copy of the body; answers what goes out with 201. */
  readonly create: (request: VirtualRequest) => unknown;
}

export interface VirtualRequest {
  readonly attributes: Attributes;
  readonly user: User;
  readonly object: KubernetesObject;
  readonly dryRun: boolean;
  /** Validating admission of the object as it is now. Throws what it refuses with. */
  readonly admit?: (() => Promise<void>) | undefined;
  warn(text: string): void;
}

/** A subresource that is carried on to a kubelet, a pod or a service: log, exec, attach, portforward, proxy. */
export interface Connector {
  /** '' group: `pods`, `nodes`, `services`. */
  readonly resource: string;
  readonly subresource: string;
  readonly methods: readonly string[];
  readonly connect: (request: ConnectRequest) => Promise<ConnectAnswer>;
}

export interface ConnectRequest {
  readonly attributes: Attributes;
  readonly user: User;
  readonly method: string;
  /** What follows the subresource in the path, as it came (still percent-encoded), with its slash; '' where nothing does. */
  readonly tail: string;
  readonly query: URLSearchParams;
  /** Lower-case names; no pseudo headers. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array> | undefined;
  readonly signal: AbortSignal;
  /** The client's connection, when it asked to upgrade it (HTTP/1.1 only); `head` is what was read of it already. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Uint8Array } | undefined;
}

export type ConnectAnswer =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string | readonly string[]>>;
      readonly body: AsyncIterable<Uint8Array> | undefined;
    }
  /** The connection was taken over, answer included: nothing is left to do for the lifecycle. */
  | 'upgraded';

/** A GET outside the API that anyone with the right may read: `/openid/v1/jwks`. */
export interface PlainDocument {
  readonly path: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `address`: host and port that the server is reached by. */
  readonly body: (address: string) => string;
}

/**
 * What a resource takes or gives back beside its own object: cluster addresses, node ports. Runs last before a write
 * and not for objects that validation refused; on its own copy of the object, which it may change.
 */
export interface WriteHook {
  readonly group: string;
  readonly resource: string;
  /** Throws StatusError where the object cannot have what it asks for; called before it is validated, and without effect. */
  readonly beforeValidation?: (write: HookedWrite) => void;
  /** Takes what the new object needs (`old` is undefined at creation); answers what to do when the write fails. */
  readonly beforeWrite?: (write: HookedWrite) => void | Undo | Promise<void | Undo>;
  /** The object is gone for good. */
  readonly afterDelete?: (object: KubernetesObject) => void | Promise<void>;
  /** The change is stored: gives back what the old object had and the new one has not. */
  readonly afterWrite?: (write: HookedWrite) => void | Promise<void>;
}

export interface HookedWrite {
  readonly object: KubernetesObject;
  readonly old: KubernetesObject | undefined;
  readonly dryRun: boolean;
}

export type Undo = () => void | Promise<void>;
