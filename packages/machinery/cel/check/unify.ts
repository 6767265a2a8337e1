import { dynType, errorType, mapTypeArguments, typeArguments, wrappedType, type CelType } from '../types.ts';

/** What type parameters stand for, as far as it is known. */
export type Substitution = Pick<Map<string, CelType>, 'get' | 'set'>;

/** What would be known as well, over what is known: nothing is copied, for expressions can be long. */
export class Trial implements Substitution {
  readonly #base: Substitution;
  readonly #own = new Map<string, CelType>();

  constructor(base: Substitution) {
    this.#base = base;
  }

  get(name: string): CelType | undefined {
    return this.#own.get(name) ?? this.#base.get(name);
  }

  set = (name: string, type: CelType): Map<string, CelType> => this.#own.set(name, type);

  /** Makes it known. */
  commit(): void {
    for (const [name, type] of this.#own) this.#base.set(name, type);
  }
}

const isDynamic = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error';

/** The type with its parameters replaced by what they stand for; `dyn` for those left open when `open` says so. */
export function substitute(known: Substitution, type: CelType, open: 'keep' | 'dyn'): CelType {
  if (type.kind !== 'parameter') return mapTypeArguments(type, (argument) => substitute(known, argument, open));
  const found = known.get(type.name);
  if (found !== undefined) return substitute(known, found, open);
  return open === 'dyn' ? dynType : type;
}

/**
 * Whether values of type `from` fit where `to` is expected; binds type parameters in `known` as needed (upstream's
 * rules: cel-go, checker/types.go). When it answers false, `known` may hold some of the bindings: pass a `Trial`.
 */
export function assignable(known: Substitution, from: CelType, to: CelType): boolean {
  if (to.kind === 'parameter') return bind(known, from, to);
  if (from.kind === 'parameter') return bind(known, to, from);
  if (isDynamic(from) || isDynamic(to)) return true;
  if (from.kind === 'null') return isNullable(to);
  if (to.kind === 'null') return isNullable(from);
  const [wrapped, expected] = [wrappedType(from), wrappedType(to)];
  if (wrapped || expected) return assignable(known, wrapped ?? from, expected ?? to);
  if (from.kind !== to.kind) return false;
  if ((from.kind === 'object' || from.kind === 'opaque') && from.name !== (to as typeof from).name) return false;
  if (from.kind === 'type') return true;
  const others = typeArguments(to);
  const own = typeArguments(from);
  return own.length === others.length && own.every((type, index) => assignable(known, type, others[index] as CelType));
}

function isNullable(type: CelType): boolean {
  return ['null', 'object', 'opaque', 'timestamp', 'duration'].includes(type.kind);
}

function bind(known: Substitution, type: CelType, parameter: CelType & { kind: 'parameter' }): boolean {
  if (type.kind === 'parameter' && type.name === parameter.name) return true;
  const bound = known.get(parameter.name);
  if (bound === undefined) {
    if (occurs(known, parameter.name, type)) return false;
    known.set(parameter.name, type);
    return true;
  }
  if (bound === type) return true;
  if (!assignable(known, type, bound)) return false;
  const general = mostGeneral(type, bound);
  if (!occurs(known, parameter.name, general)) known.set(parameter.name, general);
  return true;
}

function occurs(known: Substitution, name: string, type: CelType): boolean {
  if (type.kind !== 'parameter') return typeArguments(type).some((argument) => occurs(known, name, argument));
  if (type.name === name) return true;
  const bound = known.get(type.name);
  return bound !== undefined && occurs(known, name, bound);
}

/** Of two types that fit each other, the one that says less. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDynamic(a) || a.kind === 'parameter') return true;
  if (isDynamic(b) || b.kind === 'parameter') return false;
  const [wrapped, other] = [wrappedType(a), wrappedType(b)];
  if (wrapped || other) return isEqualOrLessSpecific(wrapped ?? a, other ?? b);
  if (a.kind !== b.kind) return b.kind === 'null' && a.kind === 'opaque';
  const others = typeArguments(b);
  return typeArguments(a).every((type, index) => isEqualOrLessSpecific(type, others[index] ?? errorType));
}

/** Whether two types are the same. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || ('name' in a && a.name !== (b as typeof a).name)) return false;
  const others = typeArguments(b);
  return typeArguments(a).every((type, index) => sameType(type, others[index] ?? errorType));
}
