import type { LabelRequirement, Labels } from './label-selector.ts';

/**
 * What many requirements ask of labels, one condition a key: a selector may have a hundred thousand requirements, and is
 * asked about every object of a list, but an object has few labels.
 */
export class LabelConditions {
  readonly #byKey = new Map<string, Condition>();
  readonly #wanted: readonly string[];

  constructor(requirements: readonly LabelRequirement[]) {
    for (const requirement of requirements) {
      let condition = this.#byKey.get(requirement.key);
      if (!condition) this.#byKey.set(requirement.key, (condition = new Condition()));
      condition.add(requirement);
    }
    this.#wanted = [...this.#byKey].flatMap(([key, { isWanted }]) => (isWanted ? [key] : []));
  }

  hold(labels: Labels): boolean {
    for (const key of this.#wanted) if (!Object.hasOwn(labels, key)) return false;
    return Object.entries(labels).every(([key, value]) => this.#byKey.get(key)?.holds(value) ?? true);
  }
}

/** All that is asked of one label. */
class Condition {
  isWanted = false;
  #isRefused = false;
  #allowed: ReadonlySet<string> | undefined;
  readonly #refused = new Set<string>();
  #above: bigint | undefined;
  #below: bigint | undefined;

  add({ operator, values }: LabelRequirement): void {
    if (operator === '!') {
      this.#isRefused = true;
      return;
    }
    if (operator === 'notin' || operator === '!=') {
      for (const value of values) this.#refused.add(value);
      return;
    }
    this.isWanted = true;
    if (operator === 'gt' || operator === 'lt') this.#bound(operator, int64(values[0] ?? ''));
    else if (operator !== 'exists') this.#allow(values);
  }

  /** Whether the label may be there with this value. */
  holds(value: string): boolean {
    if (this.#isRefused || this.#refused.has(value) || this.#allowed?.has(value) === false) return false;
    if (this.#above === undefined && this.#below === undefined) return true;
    const number = int64(value);
    if (number === undefined) return false;
    return (
      !(this.#above !== undefined && number <= this.#above) && !(this.#below !== undefined && number >= this.#below)
    );
  }

  #allow(values: readonly string[]): void {
    const before = this.#allowed;
    this.#allowed = new Set(before ? values.filter((value) => before.has(value)) : values);
  }

  #bound(operator: 'gt' | 'lt', bound: bigint | undefined): void {
    if (bound === undefined) this.#isRefused = true;
    else if (operator === 'gt') this.#above = this.#above === undefined || bound > this.#above ? bound : this.#above;
    else this.#below = this.#below === undefined || bound < this.#below ? bound : this.#below;
  }
}

/** A 64-bit integer as Go's ParseInt reads it. */
export function int64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,30}$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
