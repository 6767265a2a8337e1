import { parseFieldSelector } from '@kubernode/machinery';
import type { Attributes } from '../seams.ts';

/** How many watches there are of everything, of each namespace and of each object: who a write wakes. */
export class WatchTracker {
  readonly #counts = new Map<string, number>();

  /** Answers what to call when the watch ends. */
  begin(attributes: Attributes): () => void {
    if (isOfOneNode(attributes)) return () => {};
    const { namespace, name } = attributes;
    const key = keyOf(attributes, namespace, name || exactField(attributes, 'metadata.name'));
    this.#add(key, 1);
    let hasEnded = false;
    return () => {
      if (!hasEnded) this.#add(key, -1);
      hasEnded = true;
    };
  }

  count(attributes: Attributes): number {
    const { namespace, name } = attributes;
    const of = (...place: [namespace: string, name: string]) => this.#counts.get(keyOf(attributes, ...place)) ?? 0;
    const everywhere = of('', '');
    const inNamespace = namespace === '' ? 0 : of(namespace, '');
    return everywhere + inNamespace + (name === '' ? 0 : of(namespace, name));
  }

  #add(key: string, change: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

const keyOf = ({ group, resource }: Attributes, namespace: string, name: string) =>
  `${group}/${resource}/${namespace}/${name}`;

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
