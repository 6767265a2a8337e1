import type { ObjectMeta } from './generated/types/meta/v1.ts';

/** What every API object has. */
export interface KubernetesObject {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: ObjectMeta;
}

/** The name of a kind as a value: what a client needs to address its resource. `T` is the type of its objects. */
export interface Kind<T = KubernetesObject> {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The resource in a path: `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** `apps/v1`, or `v1` for the core group. */
  readonly apiVersion: string;
  /** `/apis/apps/v1`, or `/api/v1` for the core group. */
  readonly basePath: string;
  /** Never there: it only carries the type. */
  readonly object?: T;
}

/** Makes the value that stands for a kind; built-in ones are generated, this also serves custom resources. */
export function kind<T = KubernetesObject>(names: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}): Kind<T> {
  const apiVersion = names.group ? `${names.group}/${names.version}` : names.version;
  return { ...names, apiVersion, basePath: names.group ? `/apis/${apiVersion}` : `/api/${apiVersion}` };
}

/** An object still to be created: everything may be left to defaults and the server. */
export type Draft<T> = T extends readonly (infer Item)[]
  ? Draft<Item>[]
  : T extends object
    ? { [K in keyof T]?: Draft<T[K]> | undefined }
    : T;

/** A list as the API answers it. */
export interface ListOf<T> {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}
