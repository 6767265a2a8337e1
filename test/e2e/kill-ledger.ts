/** What is known of the objects of one writer: what was acknowledged, and the one request that was not. */
import assert from 'node:assert/strict';
import { keyOf, type Resource, type Thing } from './kill-resources.ts';

/** A request without an answer: it was carried out as a whole, or not at all. */
export interface Pending {
  readonly verb: 'create' | 'change' | 'status' | 'delete';
  readonly n: number;
}

export interface Tracked {
  /** As the last answer showed it; undefined where it is known not to be there. */
  known: Thing | undefined;
  pending: Pending | undefined;
  /** The latest that happened to it, for whoever reads of a failure. */
  readonly trail: string[];
}

/** A revision that was acknowledged, and of which object. */
export interface Acknowledged {
  readonly revision: number;
  readonly key: string;
}

export class Ledger {
  readonly resource: Resource;
  readonly objects = new Map<string, Tracked>();
  /** Since they were looked at last. */
  acknowledged: Acknowledged[] = [];
  /** Objects that are certain to have been there, by uid; a uid is given once. */
  readonly uids: Map<string, string>;

  constructor(resource: Resource, uids: Map<string, string>) {
    this.resource = resource;
    this.uids = uids;
  }

  of(key: string): Tracked {
    let tracked = this.objects.get(key);
    if (!tracked) this.objects.set(key, (tracked = { known: undefined, pending: undefined, trail: [] }));
    return tracked;
  }

  /** Throws where the answer is not what was asked for, or contradicts an earlier one. */
  acknowledge(key: string, thing: Thing, { verb, n }: Pending): void {
    const tracked = this.of(key);
    const { known } = tracked;
    const revision = Number(thing.metadata.resourceVersion);
    assert.equal(numberOf(thing, verb === 'status' ? this.resource : undefined), n, `${verb} of ${key}`);
    if (verb === 'create') this.#noteUid(key, thing);
    else assert.equal(thing.metadata.uid, known?.metadata.uid, `uid of ${key}`);
    if (known) assert.ok(revision > Number(known.metadata.resourceVersion), `${verb} of ${key}: ${revision}`);
    this.acknowledged.push({ revision, key });
    tracked.known = thing;
    tracked.pending = undefined;
    note(tracked, `${verb} ${n} at ${revision}`);
  }

  gone(key: string): void {
    const tracked = this.of(key);
    tracked.known = undefined;
    tracked.pending = undefined;
    note(tracked, 'deleted');
  }

  /** Compares with what the server holds now, and takes that for the truth where a request was not answered. */
  settle(found: ReadonlyMap<string, Thing>): void {
    for (const [key, tracked] of this.objects) {
      const thing = found.get(key);
      const problem = this.#problemOf(tracked, thing);
      assert.equal(problem, undefined, `${this.resource.plural} ${key}: ${problem}: ${describe(tracked, thing)}`);
      if (thing && thing.metadata.uid !== tracked.known?.metadata.uid) this.#noteUid(key, thing);
      note(tracked, `found ${thing?.metadata.resourceVersion}, unanswered ${tracked.pending?.verb}`);
      tracked.known = thing;
      tracked.pending = undefined;
    }
  }

  /** What is wrong with what was found; undefined where it is as it must be. */
  #problemOf({ known, pending }: Tracked, thing: Thing | undefined): string | undefined {
    if (thing && !isWhole(thing)) return 'half of a write is there';
    if (!thing) return !known || pending?.verb === 'delete' ? undefined : 'an acknowledged object is lost';
    if (!known) {
      if (pending?.verb !== 'create') return 'a deleted object is back';
      return numberOf(thing) === pending.n ? undefined : 'nobody wrote this';
    }
    if (known.metadata.uid !== thing.metadata.uid) return 'it is another object';
    if (known.metadata.resourceVersion === thing.metadata.resourceVersion) {
      return sameNumbers(known, thing, this.resource) ? undefined : 'another content at the same resourceVersion';
    }
    if (Number(thing.metadata.resourceVersion) < Number(known.metadata.resourceVersion)) return 'a write is lost';
    // Pods are marked first, and removed next.
    if (pending?.verb === 'delete' && thing.metadata.deletionTimestamp) return undefined;
    if (pending?.verb !== 'change' && pending?.verb !== 'status') return 'nobody wrote this';
    const written = numberOf(thing, pending.verb === 'status' ? this.resource : undefined);
    return written === pending.n ? undefined : 'it is neither what was acknowledged nor what was asked for';
  }

  #noteUid(key: string, { metadata }: Thing): void {
    const other = this.uids.get(metadata.uid);
    assert.equal(other, undefined, `uid ${metadata.uid} was given to ${other} and to ${key}`);
    this.uids.set(metadata.uid, `${this.resource.plural} ${key} ${metadata.resourceVersion}`);
  }
}

function note({ trail }: Tracked, what: string): void {
  trail.push(what);
  if (trail.length > trailLengthMax) trail.shift();
}

const trailLengthMax = 12;

/** The number that the object carries, or its status. */
function numberOf({ metadata, status }: Thing, ofStatus?: Resource): number {
  return Number(ofStatus ? (status?.[ofStatus.statusField ?? ''] ?? 0) : metadata.annotations['n']);
}

function isWhole({ metadata, data }: Thing): boolean {
  const n = metadata.annotations['n'];
  return metadata.labels['half'] === n && (!data || data.payload.split(' ').every((each) => !each || each === n));
}

const sameNumbers = (a: Thing, b: Thing, resource: Resource): boolean =>
  numberOf(a) === numberOf(b) && numberOf(a, resource) === numberOf(b, resource);

function describe({ known, pending, trail }: Tracked, thing: Thing | undefined): string {
  const shown = (one: Thing | undefined) =>
    one ? `${one.metadata.resourceVersion} (n=${one.metadata.annotations['n']})` : 'absent';
  const asked = pending ? `${pending.verb} ${pending.n}` : 'nothing';
  return `known ${shown(known)}, unanswered ${asked}, found ${shown(thing)}; ${trail.join(', ')}`;
}

export const byKey = (items: readonly Thing[]): Map<string, Thing> => new Map(items.map((item) => [keyOf(item), item]));
