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
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** DER of the verified client certificate. */
  readonly clientCertificate?: Uint8Array | undefined;
}

/** Finds out who asks. Throws StatusError Unauthorized for credentials that are wrong; none at all is anonymous. */
export type Authenticator = (credentials: Credentials) => Promise<User>;

export type Decision =
  | { readonly allowed: true }
  /** `denied`: nobody after this one is asked. */
  | { readonly allowed: false; readonly denied?: boolean; readonly reason: string };

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
}

/** One admission plugin: has the hooks that it uses. Throws StatusError to refuse (upstream: Forbidden, mostly). */
export interface AdmissionPlugin {
  readonly name: string;
  readonly mutate?: (request: AdmissionRequest) => void | Promise<void>;
  readonly validate?: (request: AdmissionRequest) => void | readonly FieldCause[] | Promise<void>;
}

/** What admission and authorization read of the cluster: frozen objects out of the watch cache, without a round trip. */
export interface ClusterState {
  get(group: string, resource: string, name: string, namespace?: string): KubernetesObject | undefined;
  list(group: string, resource: string, namespace?: string): readonly KubernetesObject[];
  /** Calls back after each change of a resource; answers the way to stop. */
  onChange(group: string, resource: string, handler: (object: KubernetesObject, deleted: boolean) => void): () => void;
}
