import type { KubernetesObject } from '@kubernode/api';
import { deepClone, deepEqual } from '@kubernode/machinery';
import type { Reinvocation } from '../matching/reviewed-request.ts';

/**
 * What of one plugin is run again in the second round: whatever asks for it and ran before the object was changed for the
 * last time, by its like or by other plugins (KEP-492). Kept from one round to the next.
 */
export class Reinvocations {
  #isSecondRound = false;
  #ran = new Set<string>();
  readonly #due = new Set<string>();
  #output: KubernetesObject | undefined;

  static of(reinvocation: Reinvocation, plugin: string): Reinvocations {
    let known = reinvocation.memory.get(plugin) as Reinvocations | undefined;
    if (!known) reinvocation.memory.set(plugin, (known = new Reinvocations()));
    known.#isSecondRound = reinvocation.isSecondRound;
    return known;
  }

  /** A round begins: others may have changed what the last one left. */
  begin(object: KubernetesObject | undefined): void {
    if (this.#isSecondRound && !deepEqual(this.#output, object)) this.#makeDue();
  }

  end(object: KubernetesObject | undefined): void {
    if (!this.#isSecondRound && this.#ran.size > 0) this.#output = deepClone(object);
  }

  /** What ran so far and may be run again; `id` is to be run again when something changes after it. */
  ran(id: string): void {
    this.#ran.add(id);
  }

  /** Something changed the object. */
  changed(reinvocation: Reinvocation): void {
    this.#makeDue();
    reinvocation.want();
  }

  /** Whether it is to be run in the second round. */
  isDue(id: string): boolean {
    return this.#due.has(id);
  }

  #makeDue(): void {
    for (const id of this.#ran) this.#due.add(id);
    this.#ran = new Set();
  }
}
