import { StatusError } from '@kubernode/api';
import type { Entry, Store, StoreEvent } from '@kubernode/store';
import { prefixOfKey, registryPrefix } from '../storage/keys.ts';
import { authenticatedData } from './authenticated-data.ts';
import type { Transformers } from './providers.ts';
import { UnreadableValue } from '../storage/unreadable-value.ts';
import { identity, TransformError, type Plain, type Transformer } from './transformer.ts';

type Direction = 'from_storage' | 'to_storage';

/** Is told of every value of a resource that a rule is about. */
export type CountTransformation = (resource: string, direction: Direction, prefix: string, status: string) => void;

interface Place {
  readonly group: string;
  readonly resource: string;
  readonly prefix: string;
}

/**
 * A store whose values are encrypted; whoever reads and writes through it sees them plain, or, in lists and watches, an
 * UnreadableValue where no key fits. Remembers who wrote what is
 * encrypted, so that a write with another key is told from one that changes nothing.
 */
export class EncryptedStore implements Store {
  readonly #store: Store;
  readonly #transformers: () => Transformers;
  readonly #places = new Map<string, Place>();
  /** Of what is encrypted. */
  readonly #writers = new Map<string, string>();
  readonly compact: Store['compact'];
  readonly revision: Store['revision'];
  readonly backup: Store['backup'];
  readonly close: Store['close'];

  readonly #count: CountTransformation;

  constructor(store: Store, transformers: () => Transformers, count: CountTransformation) {
    this.#store = store;
    this.#count = count;
    this.#transformers = transformers;
    this.compact = (before) => store.compact(before);
    this.revision = () => store.revision();
    this.backup = (path) => store.backup(path);
    this.close = () => store.close();
  }

  /** Whether the value was written by another provider or key than values are now. */
  isStale(key: string): boolean {
    return (this.#writers.get(key) ?? '') !== this.#transformerOf(key).writer;
  }

  async get(key: string, at?: number): Promise<Entry | undefined> {
    const entry = await this.#store.get(key, at);
    return entry && this.#read(entry, refused);
  }

  async list(...[range, options]: Parameters<Store['list']>): ReturnType<Store['list']> {
    const page = await this.#store.list(range, options);
    const entries: Entry[] = [];
    for (const entry of page.entries) {
      const plain = this.#read(entry, lost);
      entries.push(plain instanceof Promise ? await plain : plain);
    }
    return { ...page, entries };
  }

  async write(...[changes]: Parameters<Store['write']>): ReturnType<Store['write']> {
    const encrypted = changes.map((change) => {
      if (!change.value) return change;
      return { ...change, value: this.#write(change.key, asBuffer(change.value)) };
    });
    const written = await this.#store.write(encrypted);
    if (written.ok || !written.current) return written;
    return { ...written, current: await this.#read(written.current, lost) };
  }

  async *watch(...[range, after, signal]: Parameters<Store['watch']>): AsyncGenerator<readonly StoreEvent[]> {
    for await (const batch of this.#store.watch(range, after, signal)) {
      const plain: StoreEvent[] = [];
      for (const event of batch) plain.push(await this.#event(event));
      yield plain;
    }
  }

  async *changes(...[range, after, upTo]: Parameters<Store['changes']>): AsyncGenerator<readonly StoreEvent[]> {
    for await (const batch of this.#store.changes(range, after, upTo)) {
      const plain: StoreEvent[] = [];
      for (const event of batch) {
        const previous = event.previous && (await this.#readPast(event.previous));
        if (event.type === 'put') plain.push({ ...event, entry: await this.#readPast(event.entry), previous });
        else plain.push({ ...event, previous: previous! });
      }
      yield plain;
    }
  }

  /** Who wrote it is not what stands there now. */
  async #readPast(entry: Entry): Promise<Entry> {
    try {
      const stored = asBuffer(entry.value);
      const { value } = await this.#transformed(entry.key, (transformer, aad) => transformer.read(stored, aad));
      return { ...entry, value };
    } catch (error) {
      return lost(entry, error);
    }
  }

  async #event(event: StoreEvent): Promise<StoreEvent> {
    // What was before nobody asks for here: it may have been written with a key that is no more.
    if (event.type === 'put') return { ...event, entry: await this.#read(event.entry, lost) };
    this.#writers.delete(event.key);
    return event;
  }

  #read(entry: Entry, otherwise: (entry: Entry, error: unknown) => Entry): Entry | Promise<Entry> {
    const stored = asBuffer(entry.value);
    const done = ({ value, writer }: Plain): Entry => {
      this.#note(entry.key, 'from_storage', writer);
      if (writer === '') this.#writers.delete(entry.key);
      else this.#writers.set(entry.key, writer);
      return value === stored ? entry : { ...entry, value };
    };
    const failed = (error: unknown): Entry => {
      this.#note(entry.key, 'from_storage', writerOf(stored, error), 'unknown-non-grpc');
      return otherwise(entry, error);
    };
    try {
      const plain = this.#transformed(entry.key, (transformer, aad) => transformer.read(stored, aad));
      return plain instanceof Promise ? plain.then(done, failed) : done(plain);
    } catch (error) {
      return failed(error);
    }
  }

  #write(key: string, value: Buffer): Buffer {
    try {
      const stored = this.#transformed(key, (transformer, aad) => transformer.write(value, aad));
      this.#note(key, 'to_storage', this.#transformerOf(key).writer);
      return stored;
    } catch (error) {
      throw internal((error as Error).message, error);
    }
  }

  #transformed<T>(key: string, transform: (transformer: Transformer, aad: Buffer) => T): T {
    const transformer = this.#transformerOf(key);
    return transform(transformer, transformer === identity ? nothing : this.#aadOf(key));
  }

  #note(key: string, direction: Direction, writer: string, status = 'OK'): void {
    const place = this.#placeOf(key);
    // What no rule is about is not counted.
    if (!place || this.#transformerOf(key) === identity) return;
    const resource = place.group ? `${place.resource}.${place.group}` : place.resource;
    const prefix = writer === '' ? 'identity' : writer === unknownWriter ? writer : prefixOfWriter(writer);
    this.#count(resource, direction, prefix, status);
  }

  #aadOf(key: string): Buffer {
    const { prefix, group, resource } = this.#placeOf(key)!;
    return authenticatedData(key, prefix, group, resource);
  }

  #transformerOf(key: string): Transformer {
    const place = this.#placeOf(key);
    return place ? this.#transformers().of(place.group, place.resource) : identity;
  }

  #placeOf(key: string): Place | undefined {
    const prefix = prefixOfKey(key);
    if (prefix === undefined) return undefined;
    const known = this.#places.get(prefix);
    if (known) return known;
    const [group = '', resource = ''] = prefix.slice(registryPrefix.length).split('/');
    const place = { group: group === 'core' ? '' : group, resource, prefix };
    this.#places.set(prefix, place);
    return place;
  }
}

/** Without the key's name, but with that of a key management service. */
const prefixOfWriter = (writer: string): string => {
  const parts = writer.split(':');
  return `${parts.slice(0, parts[2] === 'kms' ? 5 : 4).join(':')}:`;
};

const nothing = Buffer.alloc(0);

const asBuffer = (value: Uint8Array): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);

const unknownWriter = 'unknown';

/** Who wrote what cannot be read; unknown where nobody reads anything of that prefix. */
function writerOf(stored: Buffer, error: unknown): string {
  const [prefix] = /^k8s:enc:(kms:v2:[^:]*|[a-z]+:v1):/.exec(stored.subarray(0, 300).toString('latin1')) ?? [];
  return prefix === undefined || (error as Error).message === 'no matching prefix found' ? unknownWriter : prefix;
}

/** A value that no key can read is the server's trouble, and told by its key. */
const refused = ({ key }: Entry, error: unknown): never => {
  const { message } = error as Error;
  throw internal(`unable to transform key ${JSON.stringify(key)}: ${message}`, error);
};

const lost = (entry: Entry, error: unknown): Entry => ({
  ...entry,
  value: new UnreadableValue((error as Error).message),
});

const internal = (message: string, cause: unknown) => StatusError.from(new TransformError(message, { cause }));
