import type { FieldCause } from '../status-error.ts';

/**
 * A rule is a function from a value and its path to what is wrong with it; `old` is the value before an update, where
 * there is one. Rules are combined by the functions below into rules of whole objects, which is all a kind's validation is.
 * A rule is not asked about an absent value, unless it is marked with `evenIfAbsent`.
 */
export interface Rule<V = unknown> {
  (value: V, path: string, old?: V): readonly FieldCause[];
  readonly evenIfAbsent?: true;
}

type Present<V> = Exclude<V, undefined | null>;

/** Rules of an object's fields; a list of rules for one field stops at the first that finds something. */
export type FieldRules<T> = { readonly [K in keyof T]?: Rule<Present<T[K]>> | readonly Rule<Present<T[K]>>[] };

const none: readonly FieldCause[] = [];

/** The rules of the fields of an object, each at its own path. */
export function fields<T extends object>(rules: FieldRules<T>): Rule<T> {
  const entries = Object.entries(rules).map(([name, rule]) => [name, inOrder(rule as Rule | Rule[])] as const);
  return (object, path, old) => {
    const found: FieldCause[] = [];
    for (const [name, rule] of entries) {
      const at = path ? `${path}.${name}` : name;
      found.push(...apply(rule, valueAt(object, name), at, valueAt(old, name)));
    }
    return found;
  };
}

/** The rule for a field some levels down, `spec.template`; nothing is asked where a level misses. */
export function at<V>(dottedPath: string, ...rules: readonly Rule<V>[]): Rule<object> {
  const names = dottedPath.split('.');
  const rule = inOrder(rules);
  return (object, path, old) => {
    const value = names.reduce<unknown>(valueAt, object);
    const before = names.reduce<unknown>(valueAt, old);
    return apply(rule as Rule, value, path ? `${path}.${dottedPath}` : dottedPath, before);
  };
}

/** The rules for each item of a list, `ports[0]`. */
export function each<V>(...rules: readonly Rule<V>[]): Rule<readonly V[]> {
  const rule = inOrder(rules);
  return (list, path, old) => list.flatMap((item, index) => rule(item, `${path}[${index}]`, old?.[index]));
}

/** The rules for each key of a map, at the key's path, `data[tls.key]`. */
export function eachKey<M extends object = object>(...rules: readonly Rule<string>[]): Rule<M> {
  const rule = inOrder(rules);
  return (map, path) => Object.keys(map).flatMap((key) => rule(key, `${path}[${key}]`));
}

/** All rules, whatever the others find. */
export function all<V>(...rules: readonly Rule<V>[]): Rule<V> {
  const rule: Rule<V> = (value, path, old) => rules.flatMap((one) => apply(one, value, path, old));
  return rules.some((one) => one.evenIfAbsent) ? evenIfAbsent(rule) : rule;
}

/** The rules one after the other, up to the first that finds something. */
export function inOrder<V>(rules: Rule<V> | readonly Rule<V>[]): Rule<V> {
  if (typeof rules === 'function') return rules;
  const rule: Rule<V> = (value, path, old) => {
    for (const one of rules) {
      const found = apply(one, value, path, old);
      if (found.length > 0) return found;
    }
    return none;
  };
  return rules.some((one) => one.evenIfAbsent) ? evenIfAbsent(rule) : rule;
}

/** The rules, where the condition holds. */
export function when<V>(condition: (value: V, old?: V) => boolean, ...rules: readonly Rule<V>[]): Rule<V> {
  const rule = all(...rules);
  return (value, path, old) => (condition(value, old) ? rule(value, path, old) : none);
}

/** Marks a rule that is asked about absent values too; it must then expect `undefined`. */
export function evenIfAbsent<V>(rule: (value: V, path: string, old?: V) => readonly FieldCause[]): Rule<V> {
  return Object.assign(
    ((value: V, path: string, old?: V) => rule(value, path, old)) as Rule<V>,
    { evenIfAbsent: true } as const,
  );
}

/** Takes an absent number for 0, as fields are that have no pointer. */
export function orZero(...rules: readonly Rule<number>[]): Rule<number> {
  const rule = inOrder(rules);
  return evenIfAbsent((value: number | undefined, path) => rule(value ?? 0, path));
}

/** A rule as a kind's `validate`. */
export function validate<T>(...rules: readonly Rule<T>[]): (object: T) => readonly FieldCause[] {
  const rule = all(...rules);
  return (object) => rule(object, '');
}

/** A rule as a kind's `validateUpdate`. */
export function validateUpdate<T>(...rules: readonly Rule<T>[]): (object: T, old: T) => readonly FieldCause[] {
  const rule = all(...rules);
  return (object, old) => rule(object, '', old);
}

function apply<V>(rule: Rule<V>, value: V, path: string, old: V | undefined): readonly FieldCause[] {
  return (value === undefined || value === null) && !rule.evenIfAbsent ? none : rule(value, path, old);
}

function valueAt(object: unknown, name: string): unknown {
  return object === undefined || object === null ? undefined : (object as Record<string, unknown>)[name];
}
