/** A body that is not what its type says. The message is upstream's, as Go's encoding/json words it. */
export class DecodeError extends Error {
  #struct = '';
  readonly #fields: string[] = [];
  readonly #value: string;
  readonly #goType: string;

  /** `value`: what was found ("string", "number 1.5"); '' where the message stands alone. */
  constructor(message: string, value = '', goType = '') {
    super(message);
    this.name = 'DecodeError';
    this.#value = value;
    this.#goType = goType;
  }

  /** A number as it is written, which `goType` does not hold. */
  static number(source: string, goType: string): DecodeError {
    const value = `number ${source}`;
    return new DecodeError(`json: cannot unmarshal ${value} into Go value of type ${goType}`, value, goType);
  }

  static mismatch(found: unknown, goType: string): DecodeError {
    const value = describe(found, goType);
    return new DecodeError(`json: cannot unmarshal ${value} into Go value of type ${goType}`, value, goType);
  }

  /** Called from the innermost struct outwards while the error passes through. */
  within(struct: string, field: string): void {
    if (!this.#value) return;
    this.#struct ||= struct;
    this.#fields.unshift(field);
    const path = `${this.#struct}.${this.#fields.join('.')}`;
    this.message = `json: cannot unmarshal ${this.#value} into Go struct field ${path} of type ${this.#goType}`;
  }
}

function describe(value: unknown, goType: string): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  // The form in which `parseJson` leaves a number with a fraction.
  const number = typeof value === 'symbol' ? value.description : value;
  if (typeof value !== 'symbol' && typeof value !== 'number' && typeof value !== 'bigint') return typeof value;
  return /^(u?int|float)/.test(goType) ? `number ${String(number)}` : 'number';
}
