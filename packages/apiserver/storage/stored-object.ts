import { findShape, restoreEmpty } from '@kubernode/api';
import { deepFreeze, parseJsonExactly } from '@kubernode/machinery';
import { atRevision, type ApiObject } from './encoding.ts';

/** What is known of a resource to select its objects: label → value, beyond metadata.name and metadata.namespace. */
export type FieldsOf = Readonly<Record<string, (object: never) => string>> | undefined;

/**
 * One version of one object, shared by every reader: its JSON bytes as they are served, what selection needs, and the
 * decoded form, made at first use, frozen, and held weakly, so that memory holds the bytes and only what is in use.
 */
export class StoredObject {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** Nobody has changed it yet. */
  readonly isAsCreated: boolean;
  /** Those of another revision are made of it when they are asked for: most deletions are never shown. */
  #bytes: Buffer | StoredObject;
  #decoded: WeakRef<ApiObject> | undefined;
  #labels: Readonly<Record<string, string>> | undefined;
  #forms: Map<string, unknown> | undefined;

  constructor(
    names: { key: string; namespace: string; name: string },
    revision: number,
    bytes: Buffer | StoredObject,
    isAsCreated = false,
  ) {
    this.key = names.key;
    this.namespace = names.namespace;
    this.name = names.name;
    this.revision = revision;
    this.#bytes = bytes;
    this.isAsCreated = isAsCreated;
  }

  /** JSON, in the version that is stored, without a newline. */
  get bytes(): Buffer {
    const bytes = this.#bytes;
    if (!(bytes instanceof StoredObject)) return bytes;
    return (this.#bytes = atRevision(bytes.bytes, bytes.revision, this.revision));
  }

  /** The decoded object: frozen, shared, never to be changed. */
  get object(): ApiObject {
    const known = this.#decoded?.deref();
    if (known) return known;
    const object = parseJsonExactly(this.bytes.toString('utf8')) as ApiObject;
    const shape = findShape(object.apiVersion ?? '', object.kind ?? '');
    if (shape) restoreEmpty(object, shape);
    deepFreeze(object);
    this.#decoded = new WeakRef(object);
    return object;
  }

  /** Hands over the object that `bytes` were made of, so that nobody decodes it again. Freezes it. */
  adopt(object: ApiObject): void {
    this.#decoded = new WeakRef(deepFreeze(object));
  }

  get labels(): Readonly<Record<string, string>> {
    this.#labels ??= this.object.metadata.labels ?? noLabels;
    return this.#labels;
  }

  /** Another form of this version (protobuf bytes, a table row), made once and kept as long as the version. */
  form<F>(name: string, make: () => F): F {
    this.#forms ??= new Map();
    const known = this.#forms.get(name);
    if (known !== undefined) return known as F;
    const made = make();
    this.#forms.set(name, made);
    return made;
  }

  /** The same object under a later revision, as a deletion shows it. */
  at(revision: number): StoredObject {
    return new StoredObject(this, revision, this);
  }
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});
