import type { Field, ObjectShape, Random, ScalarType, Shape } from '@kubernode/machinery';
import { specialFormOf } from '../special-forms.ts';

const depthMax = 7;
const words = ['', 'a', 'web', 'Größe', '日本', '😀', 'line\nbreak', '"quoted"', '__proto__', '10', '\u2028'];

/** A JSON value that fits the shape, for property tests: about half of the fields, at random, less the deeper it gets. */
export function randomObject(shape: ObjectShape, random: Random): Record<string, unknown> {
  return new Generator(random).object(shape, 0);
}

class Generator {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  object(shape: ObjectShape, depth: number): Record<string, unknown> {
    const share = depth < 2 ? 0.7 : 0.5 - depth / 20;
    const chosen = shape.fields.filter((field) => this.#random() < share && !isTypeMeta(field, shape));
    return Object.fromEntries(chosen.map((field) => [field.name, this.#value(field.shape, depth + 1)]));
  }

  #value(shape: Shape, depth: number): unknown {
    switch (shape.type) {
      case 'object':
        if (specialFormOf(shape.name)) return this.#special(shape.name);
        return depth > depthMax ? {} : this.object(shape, depth);
      case 'list':
        return Array.from({ length: this.#below(depth > 4 ? 2 : 3) }, () => this.#value(shape.items, depth + 1));
      case 'map': {
        const entries = Array.from({ length: this.#below(3) }, () => [
          this.#pick(words),
          this.#value(shape.values, depth + 1),
        ]);
        return Object.fromEntries(entries) as Record<string, unknown>;
      }
      case 'rawExtension':
      case 'any':
        return { kind: 'Any', list: [1, 'two', null, { three: 3.5, fourth: 2n ** 53n + 1n }] };
      case 'fieldsV1':
        return { 'f:metadata': { 'f:labels': { '.': {} } } };
      default:
        return this.#scalar(shape.type);
    }
  }

  #special(name: string): unknown {
    if (name.endsWith('.JSON')) return this.#pick([1, 'x', true, { a: [] }]);
    const schema = { type: 'string', maxLength: 3 };
    if (name.endsWith('OrBool')) return this.#pick([true, false, schema]);
    return this.#pick([schema, name.endsWith('OrArray') ? [schema, {}] : ['a', 'b']]);
  }

  #scalar(type: ScalarType): unknown {
    switch (type) {
      case 'string':
        return this.#pick(words);
      case 'bool':
        return this.#random() < 0.5;
      case 'bytes':
        return Buffer.from(this.#pick(words)).toString('base64');
      case 'quantity':
        return this.#pick(['0', '1', '100m', '1536Mi', '1e3', '0.5', '-2Ki', 3]);
      case 'intOrString':
        return this.#pick([0, 80, -1, 'http', '25%', '']);
      case 'time':
        return this.#pick(['2026-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '2026-06-01T12:00:00.5+02:00']);
      case 'microtime':
        return this.#pick(['2026-01-01T00:00:00.000000Z', '1969-12-31T23:59:59.999999Z']);
      case 'duration':
        return this.#pick(['0s', '1m30s', '100ms', '-1.5h', '3ns']);
      case 'float32':
      case 'float64':
        return this.#pick([0, 0.5, -2.25, 1e6]);
      case 'int64':
        return this.#pick([
          0,
          1,
          -1,
          300,
          2 ** 40,
          Number.MAX_SAFE_INTEGER,
          2n ** 53n + 1n,
          -(2n ** 63n),
          2n ** 63n - 1n,
        ]);
      case 'uint64':
        return this.#pick([0, 1, 300, 2 ** 40, Number.MAX_SAFE_INTEGER, 2n ** 64n - 1n]);
      case 'uint32':
        return this.#pick([0, 1, 2 ** 32 - 1]);
      case 'int32':
        return this.#pick([0, 1, -1, 8080, 2 ** 31 - 1, -(2 ** 31)]);
    }
  }

  #below(count: number): number {
    return Math.floor(this.#random() * (count + 1));
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T;
  }
}

/** Kind and apiVersion of the object itself: protobuf has them only in the envelope, thus not of objects within. */
const isTypeMeta = ({ name, proto }: Field, { byName }: ObjectShape) =>
  proto === 0 && (name === 'kind' || name === 'apiVersion') && byName.has('kind');
