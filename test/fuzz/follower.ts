import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

interface Stored {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion: string };
}
interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Stored[] | null;
}

const catchUpMsMax = 10_000;
const keyOf = ({ metadata }: Stored) => `${metadata.namespace ?? ''}/${metadata.name}`;
const asAdmin = { authorization: 'Bearer admin', accept: 'application/json' };

/** Lists a collection and follows it, as informers do. */
export class Follower {
  readonly #url: string;
  readonly #objects: Map<string, Stored>;
  #watch: ClientRequest | undefined;
  #changed = () => {};

  private constructor(url: string, list: List) {
    this.#url = url;
    this.#objects = byKey(list);
  }

  static async start(server: string, path: string): Promise<Follower> {
    const url = server + path;
    const list = await readList(url);
    const follower = new Follower(url, list);
    follower.#watch = request(`${url}?watch=1&resourceVersion=${list.metadata.resourceVersion}`, { headers: asAdmin });
    follower.#watch.on('error', () => {});
    follower.#watch.end();
    const [answer] = (await once(follower.#watch, 'response')) as [IncomingMessage];
    void follower.#follow(answer).catch(() => {});
    return follower;
  }

  async #follow(answer: IncomingMessage): Promise<void> {
    let rest = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = (rest + (chunk as string)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#apply(JSON.parse(line) as { type: string; object: Stored });
      this.#changed();
    }
  }

  #apply({ type, object }: { readonly type: string; readonly object: Stored }): void {
    // Items of a list have no kind of their own.
    const { kind: _kind, apiVersion: _version, ...item } = object as Stored & { kind?: string; apiVersion?: string };
    if (type === 'ADDED' || type === 'MODIFIED') this.#objects.set(keyOf(object), item);
    else if (type === 'DELETED') this.#objects.delete(keyOf(object));
  }

  /** Stops. Answers what a list has otherwise than the watch told, after it had time to. */
  async end(): Promise<string[]> {
    const listed = byKey(await readList(this.#url));
    const late = new AbortController();
    const timeout = wait(catchUpMsMax, undefined, { signal: late.signal }).then(
      () => true,
      () => true,
    );
    for (let isLate = false; !isLate && this.#differences(listed).length > 0;) {
      const changed = new Promise<boolean>((resolve) => {
        this.#changed = () => resolve(false);
      });
      isLate = await Promise.race([changed, timeout]);
    }
    late.abort();
    this.#watch?.destroy();
    return this.#differences(listed);
  }

  #differences(listed: ReadonlyMap<string, Stored>): string[] {
    const keys = new Set([...listed.keys(), ...this.#objects.keys()]);
    return [...keys].filter((key) => !isDeepStrictEqual(listed.get(key), this.#objects.get(key)));
  }
}

function byKey({ items }: List): Map<string, Stored> {
  return new Map((items ?? []).map((item) => [keyOf(item), item]));
}

async function readList(url: string): Promise<List> {
  const sent = request(url, { headers: asAdmin });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  return JSON.parse(text) as List;
}
