import { parseFieldSelector } from '@kubernode/machinery';
import type { Attributes } from '../seams.ts';

/** The watches of one resource. */
interface Watched {
  everywhere: number;
  /** By `namespace/name`; without a name those of the namespace. */
  readonly places: Map<string, number>;
}

/** How many watches there are of everything, of each namespace and of each object: who a write wakes. */
export class WatchTracker {
  readonly #watched = new Map<string, Watched>();

  /** Answers what to call when the watch ends. */
  begin(attributes: Attributes): () => void {
    if (isOfOneNode(attributes)) return () => {};
    const { namespace, name } = attributes;
    const place = placeOf(namespace, name || exactField(attributes, 'metadata.name'));
    const watched = this.#watchedOf(attributes);
    add(watched, place, 1);
    let hasEnded = false;
    return () => {
      if (!hasEnded) add(watched, place, -1);
      hasEnded = true;
    };
  }

  /** Asked with every write: most resources are watched as a whole, or not at all. */
  count({ group, resource, namespace, name }: Attributes): number {
    const watched = this.#watched.get(`${group}/${resource}`);
    if (!watched || watched.places.size === 0) return watched?.everywhere ?? 0;
    const { everywhere, places } = watched;
    const inNamespace = namespace === '' ? 0 : (places.get(placeOf(namespace, '')) ?? 0);
    return everywhere + inNamespace + (name === '' ? 0 : (places.get(placeOf(namespace, name)) ?? 0));
  }

  #watchedOf({ group, resource }: Attributes): Watched {
    const key = `${group}/${resource}`;
    let watched = this.#watched.get(key);
    if (!watched) this.#watched.set(key, (watched = { everywhere: 0, places: new Map() }));
    return watched;
  }
}

const placeOf = (namespace: string, name: string) => `${namespace}/${name}`;
const anyPlace = placeOf('', '');

function add(watched: Watched, place: string, change: 1 | -1): void {
  if (place === anyPlace) {
    watched.everywhere += change;
    return;
  }
  const count = (watched.places.get(place) ?? 0) + change;
  if (count === 0) watched.places.delete(place);
  else watched.places.set(place, count);
}

/** Each kubelet watches its own pods: a pod's write wakes one of them, whatever their number. */
const isOfOneNode = (attributes: Attributes): boolean =>
  attributes.resource === 'pods' && exactField(attributes, 'spec.nodeName') !== '';

function exactField({ fieldSelector }: Attributes, field: string): string {
  if (!fieldSelector?.includes(field)) return '';
  try {
    const found = parseFieldSelector(fieldSelector).find((each) => each.field === field && each.operator === '=');
    return found?.value ?? '';
  } catch {
    return '';
  }
}
