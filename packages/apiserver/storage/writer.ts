import { scheme, StatusError } from '@kubernode/api';
import type { Clock, ObjectShape } from '@kubernode/machinery';
import type { Store } from '@kubernode/store';
import { encodeOpen, withRevision, type ApiObject } from './encoding.ts';
import { namespaceOfKey, objectKey } from './keys.ts';
import { checkObjectSize } from './object-size.ts';
import type { ServedResource } from '../registry.ts';
import { Lines } from './lines.ts';
import { StoredObject } from './stored-object.ts';
import type { WatchCache } from './watch-cache.ts';

/** How long a change is tried again because somebody else was faster; the request's own time is over then. */
const triesForMs = 60_000;

/** What an update makes of the object that is there. */
export type Outcome =
  | { readonly put: ApiObject; readonly settle?: ((written: boolean) => Promise<void>) | undefined }
  | 'remove'
  | 'unchanged';

/** What a change is made for. */
interface Asked {
  /** Aborts when the client is gone, or was told that it took too long. */
  readonly signal: AbortSignal;
}

type Change = (current: StoredObject | undefined) => Outcome | Promise<Outcome>;

/** The write was expected to find another revision. */
const lostRace = Symbol('lostRace');

/**
 * Writes objects, encoding each once. Every write resolves when the watch cache has it, so that whoever was answered
 * reads what it wrote.
 */
export class Writer {
  readonly #store: Store;
  readonly #cache: WatchCache;
  readonly #clock: Clock;
  readonly #lines: Lines;

  constructor(store: Store, cache: WatchCache, clock: Clock) {
    this.#store = store;
    this.#cache = cache;
    this.#clock = clock;
    this.#lines = new Lines(clock);
  }

  /** Throws AlreadyExists. `object` belongs to the writer from here on. */
  async create(
    resource: ServedResource,
    object: ApiObject,
    settle?: (written: boolean) => Promise<void>,
  ): Promise<StoredObject> {
    const { name, namespace } = object.metadata;
    const key = objectKey(resource.cache.prefix, resource.namespaced ? (namespace ?? '') : '', name);
    const created = await this.#putSettled(key, resource, { put: object, settle }, undefined);
    if (created === lostRace) throw StatusError.alreadyExists(resource, name);
    return created;
  }

  /**
   * Changes the object that is there now: `change` is asked again, with the newer object, whenever another write came
   * in between, unless `change` throws or nobody waits for the answer to the request any more. Answers the object as
   * written, or as removed, at the new revision.
   */
  update(resource: ServedResource, key: string, request: Asked, change: Change): Promise<StoredObject | undefined> {
    return this.#lines.inTurn(key, () => this.#update(resource, key, request, change));
  }

  async #update(
    resource: ServedResource,
    key: string,
    request: Asked,
    change: Change,
  ): Promise<StoredObject | undefined> {
    const untilMs = this.#clock.now() + triesForMs;
    do {
      const current = resource.cache.objects.get(key);
      const outcome = await change(current);
      if (outcome === 'unchanged') return current;
      const result =
        outcome === 'remove'
          ? await this.#remove(key, current)
          : await this.#putSettled(key, resource, outcome, current);
      if (result !== lostRace) return result;
    } while (this.#clock.now() < untilMs && !request.signal.aborted);
    throw StatusError.of('ServerTimeout', 'the object is changed too often by others, please try again', {
      retryAfterSeconds: 1,
    });
  }

  #putSettled(
    key: string,
    resource: ServedResource,
    { put, settle }: Exclude<Outcome, string>,
    current: StoredObject | undefined,
  ): Promise<StoredObject | typeof lostRace> {
    const writing = this.#put(key, resource, put, current);
    return settle ? settled(writing, settle) : writing;
  }

  async #put(
    key: string,
    resource: ServedResource,
    object: ApiObject,
    current: StoredObject | undefined,
  ): Promise<StoredObject | typeof lostRace> {
    const pending = resource.conversion.store?.(object);
    const stored = pending ? await pending : resource.conversion.toStored(object);
    const value = encodeOpen(stored, shapeOfStored(resource, stored));
    checkObjectSize(value.length, stored, current);
    const expected = this.#cache.expect(key, value, stored);
    try {
      const written = await this.#store.write([{ key, value, expect: current?.revision ?? 'absent' }]);
      const reached = this.#cache.reached(written.revision);
      if (reached) await reached;
      if (!written.ok) return lostRace;
      return expected.stored ?? servedForm(key, resource.cache.prefix, value, written.revision);
    } finally {
      this.#cache.settled(key, expected);
    }
  }

  async #remove(key: string, current: StoredObject | undefined): Promise<StoredObject | undefined | typeof lostRace> {
    if (!current) return undefined;
    const written = await this.#store.write([{ key, expect: current.revision }]);
    await this.#cache.reached(written.revision);
    return written.ok ? current.at(written.revision) : lostRace;
  }
}

/** Whoever prepared the write is told how it ended. */
async function settled(
  writing: Promise<StoredObject | typeof lostRace>,
  settle: (written: boolean) => Promise<void>,
): Promise<StoredObject | typeof lostRace> {
  let written = false;
  try {
    const result = await writing;
    written = result !== lostRace;
    return result;
  } finally {
    await settle(written);
  }
}

function shapeOfStored(resource: ServedResource, { apiVersion = '', kind = '' }: ApiObject): ObjectShape {
  if (apiVersion === resource.apiVersion) return resource.shape;
  return scheme.byKind(apiVersion, kind)?.shape ?? resource.shape;
}

function servedForm(key: string, prefix: string, value: Uint8Array, revision: number): StoredObject {
  return new StoredObject({ key, namespace: namespaceOfKey(key, prefix) }, revision, withRevision(value, revision));
}
