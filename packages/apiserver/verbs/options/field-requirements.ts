import type { FieldRequirement } from '@kubernode/machinery';
import type { StoredObject } from '../../storage/stored-object.ts';

/** All that is required of one field. Costs one look at the object, however many requirements there are. */
export class FieldRequirements {
  readonly #read: (object: StoredObject) => string;
  #equal: string | undefined;
  readonly #unequal = new Set<string>();
  #isContradictory = false;

  constructor(read: (object: StoredObject) => string) {
    this.#read = read;
  }

  add({ operator, value }: FieldRequirement): void {
    if (operator === '!=') this.#unequal.add(value);
    else if (this.#equal === undefined) this.#equal = value;
    else this.#isContradictory ||= this.#equal !== value;
  }

  matches(object: StoredObject): boolean {
    if (this.#isContradictory) return false;
    const value = this.#read(object);
    return (this.#equal === undefined || this.#equal === value) && !this.#unequal.has(value);
  }
}
