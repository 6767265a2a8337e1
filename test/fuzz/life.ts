/** The life of one object: made, read in all encodings, changed well and badly, deleted. */
import { decodeCbor, decodeProtobuf, decodeYaml, encodeJsonText, type ResourceInfo } from '@kubernode/api';
import { deepClone, type Random } from '@kubernode/machinery';
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../scenarios/client.ts';
import { accepts, damagedBytes, damagedText, hostileQuery, randomBody, randomPatch } from './damage.ts';
import { invalidObject, pick, validObject, withoutCauses, type Plain, type Sample } from './samples.ts';
import { users, type Target } from './target.ts';

const repairsMax = 3;

export interface Lived {
  /** Whether an object was made. */
  readonly isMade: boolean;
}

export const pathOf = ({ group, version, plural, namespaced }: ResourceInfo) =>
  `${group === '' ? `/api/${version}` : `/apis/${group}/${version}`}${namespaced ? '/namespaces/default' : ''}/${plural}`;

export class Life {
  readonly #target: Target;
  readonly #sample: Sample;
  readonly #random: Random;
  readonly #collection: string;
  readonly #name: string;
  readonly #path: string;

  constructor(target: Target, sample: Sample, random: Random, name: string) {
    this.#target = target;
    this.#sample = sample;
    this.#random = random;
    this.#collection = pathOf(sample.info);
    // Names of some kinds say what they are of.
    const { name: own = 'a' } = (sample.base['metadata'] ?? {}) as { name?: string };
    this.#name = /[.:]/.test(own) ? own : name;
    this.#path = `${this.#collection}/${this.#name}`;
  }

  async run(): Promise<Lived> {
    await this.#refusals();
    const made = await this.#make();
    if (!made) return { isMade: false };
    await this.#read();
    for (let step = 0; step < 4; step++) await this.#step();
    await this.#read();
    await this.#remove();
    return { isMade: true };
  }

  /** Nothing of it is kept: what is valid all the same is only tried. */
  async #refusals(): Promise<void> {
    const { info } = this.#sample;
    const object = this.#named(invalidObject(this.#sample, this.#random));
    const dry = `${this.#collection}?dryRun=All`;
    await this.#send('POST', dry, object);
    await this.#send('POST', dry, damagedText(JSON.stringify(object), this.#random));
    const damaged = damagedBytes(object, info.shape, this.#random);
    await this.#send('POST', dry, damaged.body, damaged.type);
    const bytes = randomBody(this.#random);
    await this.#send('POST', dry, bytes.body, bytes.type);
    await this.#send('GET', `${this.#collection}?${hostileQuery(this.#random)}&timeoutSeconds=1`);
    await this.#send('POST', `${dry}&${hostileQuery(this.#random)}`, object);
  }

  /** A refusal says which fields it is about: without them the object is tried again. */
  async #make(): Promise<Plain | undefined> {
    let object: Plain | undefined = this.#named(validObject(this.#sample, this.#random));
    for (let attempt = 0; object && attempt <= repairsMax; attempt++) {
      const answer = await this.#target.send({ method: 'POST', path: this.#collection, body: object });
      // Reviews are answered, but not kept.
      if (answer.code < 300) return this.#sample.info.verbs.includes('get') ? object : undefined;
      const { details } = (answer.body ?? {}) as { details?: { causes?: { field?: string }[] } };
      const repaired: Plain | undefined = withoutCauses(object, details?.causes ?? []);
      object = repaired ?? (attempt === 0 ? this.#named(deepClone(this.#sample.base) as Plain) : undefined);
    }
    return undefined;
  }

  /** Every encoding must have the same object. */
  async #read(): Promise<void> {
    const get = (accept: string) => this.#target.send({ method: 'GET', path: this.#path, accept });
    const json = await get('application/json');
    if (json.code !== 200) return;
    const { shape } = this.#sample.info;
    const decoders: readonly (readonly [string, (answer: Answer) => unknown])[] = [
      ['application/yaml', ({ raw }) => decodeYaml(raw).value],
      ['application/cbor', ({ raw }) => decodeCbor(raw)],
      ['application/vnd.kubernetes.protobuf', ({ raw }) => decodeProtobuf(raw).object],
    ];
    for (const [accept, decode] of decoders) {
      const answer = await get(accept);
      if (answer.code !== 200) this.#target.fail(`${this.#path} as ${accept}: ${answer.code}`);
      else if (!sameAs(json, decode(answer), (value) => encodeJsonText(value, shape))) {
        this.#target.fail(`${this.#path} as ${accept} differs: ${JSON.stringify(decode(answer))}, JSON ${json.text}`);
      }
    }
    await get(pick(accepts, this.#random));
  }

  async #step(): Promise<void> {
    const steps = [
      () => this.#put(),
      () => this.#merge(),
      () => this.#patchJson(),
      () => this.#strategic(),
      () => this.#apply(),
      () => this.#below(),
      () => this.#damage(),
    ];
    await pick(steps, this.#random)();
  }

  async #put(): Promise<void> {
    const current = (await this.#target.send({ method: 'GET', path: this.#path })).body as Plain;
    const wanted = this.#named(validObject(this.#sample, this.#random));
    const { resourceVersion, uid } = (current?.['metadata'] ?? {}) as Plain;
    if (this.#random() < 0.7) Object.assign(wanted['metadata'] as object, { resourceVersion, uid });
    await this.#send('PUT', this.#path, wanted);
  }

  async #merge(): Promise<void> {
    const body = this.#part();
    await this.#send('PATCH', this.#path, body, 'application/merge-patch+json');
  }

  async #strategic(): Promise<void> {
    await this.#send('PATCH', this.#path, this.#part(), 'application/strategic-merge-patch+json');
  }

  async #patchJson(): Promise<void> {
    const paths = [
      '/metadata/labels',
      '/metadata/annotations/a',
      '/spec',
      '/data',
      '/status',
      '/x/y',
      '',
      '/',
      '/spec/-',
    ];
    const operation = () => ({
      op: pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x'], this.#random),
      path: pick(paths, this.#random),
      from: pick(paths, this.#random),
      value: pick([null, {}, 'a', { a: 'b' }, [], 1], this.#random),
    });
    const body = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, operation);
    await this.#send('PATCH', this.#path, body, 'application/json-patch+json');
  }

  async #apply(): Promise<void> {
    const body = this.#named(validObject(this.#sample, this.#random));
    const query = `fieldManager=${pick(['a', 'b', '%20', 'kubectl'], this.#random)}&force=${this.#random() < 0.7}`;
    await this.#send('PATCH', `${this.#path}?${query}`, body, 'application/apply-patch+yaml');
  }

  /** Status, scale, and whatever else a kind has below it. */
  async #below(): Promise<void> {
    const names = this.#sample.info.subresources.map(({ name }) => name).filter((name) => !streams.has(name));
    if (names.length === 0) return;
    const path = `${this.#path}/${pick(names, this.#random)}`;
    const method = pick(['GET', 'PUT', 'PATCH', 'POST', 'DELETE'], this.#random);
    const body = method === 'GET' ? undefined : this.#part();
    await this.#send(method, path, body, method === 'PATCH' ? 'application/merge-patch+json' : undefined);
  }

  async #damage(): Promise<void> {
    const text = damagedText(JSON.stringify(this.#part()), this.#random);
    const patch = randomPatch(this.#random);
    await this.#send('PATCH', this.#path, this.#random() < 0.7 ? text : patch.body, patch.type);
    await this.#send('PUT', `${this.#path}?${hostileQuery(this.#random)}`, text);
  }

  async #remove(): Promise<void> {
    const body = damagedText('{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"a"}}', this.#random);
    await this.#send('DELETE', `${this.#path}?dryRun=All`, body);
    await this.#target.send({ method: 'DELETE', path: `${this.#path}?gracePeriodSeconds=0` });
    const left = (await this.#target.send({ method: 'GET', path: this.#path })).body as Plain | undefined;
    if (left?.['kind'] === 'Status') return;
    const type = 'application/merge-patch+json';
    await this.#target.send({ method: 'PATCH', path: this.#path, type, body: { metadata: { finalizers: null } } });
    if (this.#sample.info.plural !== 'namespaces') return;
    await this.#target.send({ method: 'PUT', path: `${this.#path}/finalize`, body: { ...left, spec: {} } });
  }

  /** The changes of another valid object, or of an invalid one. */
  #part(): Plain {
    const make = this.#random() < 0.6 ? validObject : invalidObject;
    return this.#named(make(this.#sample, this.#random));
  }

  #named(object: Plain): Plain {
    const metadata = object['metadata'];
    const isPlain = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
    return { ...object, metadata: isPlain ? { ...metadata, name: this.#name } : { name: this.#name } };
  }

  /** Mostly as somebody who may. */
  async #send(method: string, path: string, body?: unknown, type?: string): Promise<Answer> {
    const user = this.#random() < 0.8 ? 'admin' : pick(users, this.#random);
    return this.#target.send({ method, path, body, user, ...(type !== undefined && { type }) });
  }
}

/** Subresources that lead to nodes, which are not there. */
const streams = new Set(['proxy', 'exec', 'attach', 'portforward', 'log']);

function sameAs(json: Answer, other: unknown, encode: (value: unknown) => string): boolean {
  if (isDeepStrictEqual(json.body, other)) return true;
  // The server itself writes some objects, too: then this is another version of it.
  if (versionOf(json.body) !== versionOf(other)) return true;
  // What is decoded of protobuf has values that JSON leaves out, and objects within others have no kind there.
  const [own, decoded] = [json.text, encode(other)].map((text) => JSON.parse(text) as Plain) as [Plain, Plain];
  for (const each of [own, decoded]) forgetKinds((each['spec'] as Plain | undefined)?.['volumeClaimTemplates']);
  return isDeepStrictEqual(own, decoded);
}

const versionOf = (object: unknown) => ((object as Plain)['metadata'] as Plain)['resourceVersion'];

function forgetKinds(objects: unknown): void {
  for (const object of (objects as Plain[] | undefined) ?? []) {
    delete object['kind'];
    delete object['apiVersion'];
  }
}
