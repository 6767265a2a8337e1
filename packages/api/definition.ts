import type { Cell } from './cell.ts';
import type { Kind, KubernetesObject } from './kind.ts';
import type { FieldCause } from './status-error.ts';

/**
 * What the facts cannot say of a kind: data plus hooks, one file a kind under `kinds/`. The hooks are called by the one
 * request lifecycle in this order: decode → `defaults` → admission that mutates → `prepareForCreate`/`prepareForUpdate` →
 * `validate`/`validateUpdate` → admission that validates → store. Hooks that change an object are handed their own copy; others get shared, frozen ones.
 */
export interface KindDefinition<T extends KubernetesObject = KubernetesObject> {
  readonly kind: Kind<T>;
  /** Fills in what the client left out; the facts' own defaults are already there. Also runs on objects read from an older store, without a time then. */
  readonly defaults?: (object: T, nowTime?: string) => void;
  /** Clears what a client must not set at creation (status, for one that has the subresource, is cleared already). */
  readonly prepareForCreate?: (object: T) => void;
  /** Puts back what a plain update must not change; `status` is already the old one where there is a status subresource. */
  readonly prepareForUpdate?: (object: T, old: T, nowTime?: string) => void;
  /** Puts back what an update of the status must not change, beyond spec and metadata, which are put back already. */
  readonly prepareForStatusUpdate?: (object: T, old: T, nowTime: string) => void;
  /** All that is wrong; metadata's common rules, enums and required fields of the facts are checked already. */
  readonly validate?: (object: T) => readonly FieldCause[];
  /** All that is wrong only at creation, in addition to what `validate` says. */
  readonly validateCreate?: (object: T) => readonly FieldCause[];
  /** All that is wrong with the change, in addition to what `validate` says of the new object. */
  readonly validateUpdate?: (object: T, old: T) => readonly FieldCause[];
  readonly validateStatusUpdate?: (object: T, old: T) => readonly FieldCause[];
  /** Said with each answer of the resource: since when it is deprecated, and what to use. */
  readonly deprecation?: string;
  /** What a client is told beside the answer, of a new object or a plain update; of an update of the status: the second. */
  readonly warnings?: (object: T, old: T | undefined) => readonly string[];
  readonly statusWarnings?: (object: T, old: T) => readonly string[];
  /** A plain update is refused for a bad `generateName` too, which was checked when the object was made. */
  readonly rechecksName?: boolean;
  /** Finalizers need no domain of their own, although the kind's group wants one; of a status: there only. */
  readonly plainFinalizers?: 'always' | 'in-status';
  /** What a name must be. Default: a DNS subdomain. */
  readonly validateName?: (name: string, isPrefix: boolean, object: T) => readonly string[];
  /** Cells of a Table's row, in the order of the facts' columns; the name column is first. Nothing in it is of managed fields. */
  readonly row?: (object: T) => readonly Cell[];
  /** What a Table says of the row as a whole. */
  readonly rowConditions?: (object: T) => readonly RowCondition[];
  readonly scale?: { readonly specReplicas: string; readonly statusReplicas: string; readonly selector?: string };
  /** Field selectors beyond metadata.name and metadata.namespace: label → value; '' where the object has none. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** A status that comes with a creation is kept (nodes), although there is a status subresource. */
  readonly keepsStatusAtCreation?: boolean;
  /**
   * Whether spec changes raise `metadata.generation`; default: true where the kind has a status subresource. Of
   * `spec-as-sent` those count too that are dropped because their features are off, of `all-to-the-letter` an empty list
   * in place of none.
   */
  readonly generation?:
    | 'spec'
    | 'spec-as-sent'
    | 'spec-and-annotations'
    | 'all'
    | 'all-to-the-letter'
    | 'all-and-labels'
    | 'none';
  /** PUT on a missing name creates (default false); PUT without a resourceVersion is let through (default true). */
  readonly createOnUpdate?: boolean;
  readonly unconditionalUpdate?: boolean;
  /**
   * Updates through subresources with rules of their own (`ephemeralcontainers`, `resize`): what is left of the client's
   * object, and all that is wrong with the change. They replace `prepareForUpdate`, `validate` and `validateUpdate`.
   */
  readonly subresources?: Readonly<Record<string, SubresourceUpdate<T>>>;
  /** Seconds of grace that a deletion without options gets; 0 deletes at once. Only pods have it. */
  readonly gracePeriodSeconds?: (object: T) => number;
  /** How the first deletion marks an object that its kind holds back until its contents are gone. */
  readonly markForDeletion?: (object: T, nowTime: string) => void;
}

/** meta/v1 TableRowCondition. */
export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface SubresourceUpdate<T> {
  readonly prepare: (object: T, old: T) => T;
  readonly validate: (object: T, old: T) => readonly FieldCause[];
}
