import type { Kind, KubernetesObject } from '@kubernode/api';
import type { Clock, Logger } from '@kubernode/machinery';
import type { Client } from './client.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Informer } from './informer.ts';
import { keyFrom } from './keys.ts';
import { controllerOf } from './owners.ts';
import type { WorkQueue } from './work-queue.ts';

/**
 * A controller as data: what it looks after, what it reads and writes, and one function that brings one object closer
 * to what it asks for. `runController` runs it; RBAC, docs and tests read it.
 */
export type ControllerDeclaration<T = KubernetesObject> = ControllerCommon<T> &
  (
    | {
        readonly onDeleted?: false;
        /** `object` is shared and frozen. An error is logged and the key tried again with backoff. */
        reconcile(object: T, context: ReconcileContext): Promise<ReconcileResult>;
      }
    | {
        /** Also called, with undefined, for a key whose object is gone. */
        readonly onDeleted: true;
        reconcile(object: T | undefined, context: ReconcileContext): Promise<ReconcileResult>;
      }
  );

interface ControllerCommon<T> {
  /** Upstream's name: `replicaset-controller`; also the component of its events. */
  readonly name: string;
  readonly reconciles: Kind<T>;
  /** Other kinds, whose changes make some of the reconciled keys due. */
  readonly watches?: readonly Watch[];
  /** Kinds that are only looked up. */
  readonly reads?: readonly Kind<unknown>[];
  /** Kinds and subresources that are written; events need not be named. */
  readonly writes?: readonly WriteTarget[];
  /** Keys worked on at the same time. Default 5, as upstream. */
  readonly concurrency?: number;
  /** Makes every key due again each so many milliseconds. Default: never. */
  readonly resyncMs?: number;
  /** Which of the reconciled kind's objects matter; called with the new state. Default: all. */
  readonly filter?: (object: T) => boolean;
}

export type ReconcileResult = { readonly requeueAfterMs?: number | undefined } | undefined | void;

/** What a reconciliation is handed. */
export interface ReconcileContext {
  /** `namespace/name` or `name`. */
  readonly key: string;
  readonly name: string;
  readonly namespace: string;
  /**
   * Remembers what this key wrote: the key is not reconciled again before the informers have seen it. So a controller
   * never counts its own creations and deletions twice, and needs no expectations.
   */
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
  /** Wall time in milliseconds. */
  readonly now: () => number;
  /** The synced informer of a kind that the declaration names; throws for another. */
  readonly informer: <K>(kind: Kind<K>) => Informer<K>;
}

/** Makes keys of the reconciled kind due when another kind changes. */
export interface Watch {
  readonly kind: Kind<unknown>;
  /** For the docs' picture. */
  readonly by: 'owner' | 'mapping';
  /** Called with the new state, and with the old one where it differs. */
  keysOf(object: KubernetesObject, context: WatchContext): readonly string[];
}

export interface WatchContext {
  readonly reconciles: Kind<unknown>;
  readonly queue: WorkQueue;
  readonly now: () => number;
  readonly informer: <K>(kind: Kind<K>) => Informer<K>;
}

export type WriteTarget = Kind<unknown> | { readonly kind: Kind<unknown>; readonly subresource: string };

/** Checks the declaration's types; it stays plain data. */
export function controller<T>(declaration: ControllerDeclaration<T>): ControllerDeclaration<T> {
  return declaration;
}

/** A change of an object makes its controller's key due, where that controller is of the reconciled kind. */
export function owned(kind: Kind<unknown>): Watch {
  return {
    kind,
    by: 'owner',
    keysOf(object, { reconciles }) {
      const owner = controllerOf(object);
      if (!owner || owner.kind !== reconciles.kind) return [];
      // Group alone decides, as upstream: the owner may have been written through another version.
      if (groupOf(owner.apiVersion) !== reconciles.group) return [];
      return [keyFrom(owner.name, reconciles.namespaced ? object.metadata.namespace : undefined)];
    },
  };
}

/** A change of an object makes the keys due that `keysOf` answers. */
export function mapped<K>(kind: Kind<K>, keysOf: (object: K, context: WatchContext) => readonly string[]): Watch {
  return { kind, by: 'mapping', keysOf: (object, context) => keysOf(object as K, context) };
}

/** The status subresource in a declaration's `writes`. */
export function status(kind: Kind<unknown>): WriteTarget {
  return subresource(kind, 'status');
}

export function subresource(kind: Kind<unknown>, name: string): WriteTarget {
  return { kind, subresource: name };
}

const groupOf = (apiVersion: string) => (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '');
