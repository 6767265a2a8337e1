import { findShape, restoreEmpty } from '@kubernode/api';
import { deepFreeze, parseJsonExactly } from '@kubernode/machinery';
import { atRevision, type ApiObject } from './encoding.ts';
import { Slab, type Tenant } from './slabs.ts';

/** What is known of a resource to select its objects: label → value, beyond metadata.name and metadata.namespace. */
export type FieldsOf = Readonly<Record<string, (object: never) => string>> | undefined;

/**
 * One version of one object, shared by every reader: its JSON bytes as they are served, what selection needs, and the
 * decoded form, made at first use, frozen, and held weakly, so that memory holds the bytes and only what is in use.
 * There may be a million: what can be told from the key is not stored beside it.
 */
export class StoredObject implements Tenant {
  /** How many were decoded, of all: what that costs is how long others wait. */
  static decodedCount = 0;

  readonly key: string;
  readonly namespace: string;
  readonly revision: number;
  /** Nobody has changed it yet. */
  readonly isAsCreated: boolean;
  /** Those of another revision are made of it when they are asked for: most deletions are never shown. */
  #bytes: Buffer | Slab | StoredObject;
  /** Where they are in the slab. */
  #at = 0;
  #length: number;
  #isReleased = false;
  #prefix: Buffer | undefined;
  /** To be set by whoever puts it where it may wait for longer than it lives. */
  isLent = false;
  #decoded: WeakRef<ApiObject> | undefined;
  #labels: Readonly<Record<string, string>> | undefined;
  #forms: Map<string, unknown> | undefined;

  constructor(
    names: { readonly key: string; readonly namespace: string },
    revision: number,
    bytes: Buffer | StoredObject,
    isAsCreated = false,
  ) {
    this.key = names.key;
    this.namespace = names.namespace;
    this.revision = revision;
    this.#bytes = bytes;
    this.#length = bytes instanceof StoredObject ? 0 : bytes.length;
    this.isAsCreated = isAsCreated;
  }

  get name(): string {
    return this.key.slice(this.key.lastIndexOf('/') + 1);
  }

  /** JSON, in the version that is stored, without a newline. */
  get bytes(): Buffer {
    const bytes = this.#bytes;
    if (bytes instanceof Slab) return bytes.bytes.subarray(this.#at, this.#at + this.#length);
    if (!(bytes instanceof StoredObject)) return bytes;
    const own = atRevision(bytes.bytes, bytes.revision, this.revision);
    this.#length = own.length;
    return (this.#bytes = own);
  }

  get byteLength(): number {
    return this.#length || this.bytes.length;
  }

  /** Found once: a list of thousands need not look at the bytes of each again. */
  beginsWith(prefix: Buffer): boolean {
    if (this.#prefix === prefix) return true;
    const isSo = this.bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
    if (isSo) this.#prefix = prefix;
    return isSo;
  }

  move(slab: Slab, at: number): void {
    this.#bytes = slab;
    this.#at = at;
  }

  moveOut(): void {
    const { bytes } = this;
    const own = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(own);
    this.#bytes = own;
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** It was replaced, and is not part of the past any more that somebody may ask for. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#forms = undefined;
    if (this.#bytes instanceof Slab) this.#bytes.owner.released(this.#bytes, this.#length);
  }

  /** The decoded object: frozen, shared, never to be changed. */
  get object(): ApiObject {
    const known = this.#decoded?.deref();
    // What was handed over at its write is frozen when it is first shared.
    if (known) return deepFreeze(known);
    const object = this.#decode();
    this.#decoded = new WeakRef(object);
    return object;
  }

  /** As `object`, for who looks at many, one after the other: what was decoded for that is gone at once. */
  get passingObject(): ApiObject {
    const known = this.#decoded?.deref();
    return known ? deepFreeze(known) : this.#decode();
  }

  /** What somebody has decoded, if it is still there: never to be changed. */
  get decoded(): ApiObject | undefined {
    return this.#decoded?.deref();
  }

  #decode(): ApiObject {
    return deepFreeze(StoredObject.decode(this.bytes.toString('utf8')));
  }

  /** The object of an object's JSON, or of a part of that. It is the caller's own. */
  static decode(text: string): ApiObject {
    StoredObject.decodedCount += 1;
    const object = parseJsonExactly(text) as ApiObject;
    const shape = findShape(object.apiVersion ?? '', object.kind ?? '');
    if (shape) restoreEmpty(object, shape);
    return object;
  }

  /** Hands over the object that `bytes` were made of, so that nobody decodes it again; it is frozen when it is shared. */
  adopt(object: ApiObject): void {
    this.#decoded = new WeakRef(object);
  }

  /** Lets go of what led to a decoded form that is gone. */
  tidy(): void {
    if (this.#decoded?.deref() === undefined) this.#decoded = undefined;
  }

  get labels(): Readonly<Record<string, string>> {
    this.#labels ??= this.passingObject.metadata.labels ?? noLabels;
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

  hasForm(name: string): boolean {
    return this.#forms?.has(name) ?? false;
  }

  /** The same object under a later revision, as a deletion shows it. */
  at(revision: number): StoredObject {
    return new StoredObject(this, revision, this);
  }
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});
