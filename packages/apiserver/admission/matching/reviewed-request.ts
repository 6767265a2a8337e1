import type { KubernetesObject } from '@kubernode/api';
import type { ObjectShape } from '@kubernode/machinery';
import type { ApiObject } from '../../storage/encoding.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** One version in which a request's objects can be shown. */
export interface ReviewedVersion {
  readonly resource: GroupVersionResource;
  /** Of the bodies: of a subresource its own. */
  readonly kind: GroupVersionKind;
  readonly shape: ObjectShape;
  /** Objects without Go types are printed with their keys sorted. */
  readonly sortsKeys: boolean;
  /** Who can own what, and what merges how. */
  readonly applyShape: ObjectShape;
  /** Drops fields that there are not, in place; answers their paths. Only of custom resources. */
  readonly prune: ((object: ApiObject) => readonly string[]) | undefined;
  /** The request's object as it is in this version; never changed. Throws where it cannot be converted. */
  fromRequest(object: ApiObject): ApiObject | Promise<ApiObject>;
}

/** What is run again when a later plugin changed the object (KEP-492). */
export interface Reinvocation {
  /** Whether this is the second round. */
  readonly isSecondRound: boolean;
  /** Asks for a second round, after the first. */
  want(): void;
  /** What a plugin keeps from the first round for the second, by its name. */
  readonly memory: Map<string, unknown>;
}

/** What webhooks and policies know of a request beyond what other plugins do. */
export interface ReviewedRequest {
  readonly version: ReviewedVersion;
  /** The same objects under other versions and groups: of `events` in the core group, those of events.k8s.io. */
  readonly equivalents: readonly ReviewedVersion[];
  /** Of a Namespace, its own name. */
  readonly namespace: string;
  readonly name: string;
  /** CreateOptions and its like as JSON; undefined for CONNECT. */
  readonly options: object | undefined;
  readonly reinvocation: Reinvocation;
  /** What is stored of any kind: params of policies. */
  readonly objects: ObjectReader;
  /**
   * Puts a changed object, in one of the versions, in the place of the request's: decoded and defaulted, in place.
   * Throws DecodeError.
   */
  replace(object: unknown, version: ReviewedVersion): void | Promise<void>;
}

/** The objects of any kind that is served, as that version shows them. */
export interface ObjectReader {
  /** Undefined where no such kind is served. */
  find(apiVersion: string, kind: string): KindReader | undefined;
}

export interface KindReader {
  /** The plural. */
  readonly resource: string;
  readonly namespaced: boolean;
  get(name: string, namespace: string): KubernetesObject | undefined;
  /** '' for all. */
  list(namespace: string): readonly KubernetesObject[];
}
