import { declaredSchema, type CelSchema, type DeclaredSchema } from '@kubernode/machinery/cel';
import { isEmbedded, type Schema } from '../schema.ts';

/** The largest request; what no schema limits cannot be there more often than it has room. */
const requestBytesMax = 3 * 1024 * 1024;
/** Rules that cost less of the definition's limit than this are never named for it. */
const namedCostMin = 1_000_000;
const namedMax = 4;

/** What all rules of a definition's schema may cost, and which cost most. */
export class TotalCost {
  cost = 0;
  #named: { readonly at: string; readonly cost: number }[] = [];

  add(at: string, cost: number): void {
    this.cost += cost;
    if (cost < namedCostMin) return;
    this.#named.push({ at, cost });
    this.#named = this.#named.toSorted((a, b) => b.cost - a.cost).slice(0, namedMax);
  }

  get mostExpensive(): readonly string[] {
    return this.#named.map(({ at }) => at);
  }
}

/** A place of a schema that rules may be at: how often its value may be there, and of which type it is (CELSchemaContext). */
export class RuleScope {
  readonly total: TotalCost;
  readonly #schema: Schema;
  readonly #parent: RuleScope | undefined;
  /** Undefined: as often as there is room. */
  readonly #count: number | undefined;
  #declared: DeclaredSchema | 'none' | undefined;

  constructor(schema: Schema, parent?: RuleScope) {
    this.#schema = schema;
    this.#parent = parent;
    this.total = parent?.total ?? new TotalCost();
    this.#count = parent ? parent.#countBelow() : 1;
  }

  below(schema: Schema): RuleScope {
    return new RuleScope(schema, this);
  }

  get isRoot(): boolean {
    return this.#parent === undefined || isEmbedded(this.#schema);
  }

  /** Undefined where expressions cannot read values of the schema, or of one with rules around it. */
  get declared(): DeclaredSchema | undefined {
    this.#declared ??= this.#declare() ?? 'none';
    return this.#declared === 'none' ? undefined : this.#declared;
  }

  /** What a rule may cost over all values that it is asked of. */
  costOf(cost: number, declared: DeclaredSchema): number {
    if (cost === 0) return 0;
    return cost * (this.#count ?? Math.floor(requestBytesMax / (declared.bytesMin + 1)));
  }

  #declare(): DeclaredSchema | undefined {
    const around = this.#ruledAncestor();
    if (around && !around.declared) return undefined;
    return declaredSchema(this.#schema as CelSchema, this.isRoot);
  }

  #ruledAncestor(): RuleScope | undefined {
    for (let at = this.#parent; at; at = at.#parent) {
      if ((at.#schema['x-kubernetes-validations'] ?? []).length > 0) return at;
    }
    return undefined;
  }

  #countBelow(): number | undefined {
    const { type, maxItems, maxProperties, additionalProperties } = this.#schema;
    if (this.#count === undefined) return undefined;
    const isMap = type === 'object' && additionalProperties !== undefined;
    const max = isMap ? maxProperties : type === 'array' ? maxItems : 1;
    return max === undefined ? undefined : this.#count * Math.max(0, max);
  }
}
