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

/** A rule of a part that has to know something of the whole. What rules are combined into hands it on. */
export interface RuleWithin<V, C> {
  (value: V, path: string, old: V | undefined, context: C): readonly FieldCause[];
  readonly evenIfAbsent?: true;
}

type Present<V> = Exclude<V, undefined | null>;

/** Rules of an object's fields; a list of rules for one field stops at the first that finds something. */
export type FieldRules<T, C = undefined> = {
  readonly [K in keyof T]?: RuleWithin<Present<T[K]>, C> | readonly RuleWithin<Present<T[K]>, C>[];
};

const none: readonly FieldCause[] = [];

/**
 * What is found one after the other; `found` is the caller's own list, and grows. Nearly always nothing is, and then no
 * list is made: validation runs with every write, and most of what it would throw away are empty lists.
 */
export function join(found: readonly FieldCause[], more: readonly FieldCause[]): readonly FieldCause[] {
  if (more.length === 0 || found.length >= causesMax) return found;
  if (found.length === 0) return more.slice();
  for (const cause of more) (found as FieldCause[]).push(cause);
  return found;
}

/** Nobody reads more of what is wrong with one object; and a list may have a million items that all are. */
const causesMax = 1_000;

/** What is wrong with the items of a list, as far as anybody reads it. */
export function foundIn<V>(
  list: readonly V[],
  causesOf: (value: V, index: number) => readonly FieldCause[],
): readonly FieldCause[] {
  let found = none;
  for (let index = 0; index < list.length && found.length < causesMax; index += 1) {
    found = join(found, causesOf(list[index] as V, index));
  }
  return found;
}

/** The rules of the fields of an object, each at its own path. */
export function fields<T extends object>(rules: FieldRules<T>): Rule<T>;
export function fields<T extends object, C>(rules: FieldRules<T, C>): RuleWithin<T, C>;
export function fields(rules: object): RuleWithin<object, unknown> {
  const entries = Object.entries(rules).map(([name, rule]) => ({ name, rule: inOrder<unknown, unknown>(rule) }));
  return (object, path, old, context) => {
    let found = none;
    for (const { name, rule } of entries) {
      const value = valueAt(object, name);
      if (isAbsent(value) && !rule.evenIfAbsent) continue;
      found = join(found, rule(value, path ? `${path}.${name}` : name, valueAt(old, name), context));
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
    return apply(rule as Rule, value, path ? `${path}.${dottedPath}` : dottedPath, before, undefined);
  };
}

/** The rules for each item of a list, `ports[0]`. */
export function each<V>(...rules: readonly Rule<V>[]): Rule<readonly V[]>;
export function each<V, C>(...rules: readonly RuleWithin<V, C>[]): RuleWithin<readonly V[], C>;
export function each(...rules: readonly RuleWithin<unknown, unknown>[]): RuleWithin<readonly unknown[], unknown> {
  const rule = inOrder(rules);
  return (list, path, old, context) => {
    let found = none;
    for (let index = 0; index < list.length && found.length < causesMax; index += 1) {
      found = join(found, apply(rule, list[index], `${path}[${index}]`, old?.[index], context));
    }
    return found;
  };
}

/** The rules for each key of a map, at the key's path, `data[tls.key]`. */
export function eachKey<M extends object = object>(...rules: readonly Rule<string>[]): Rule<M> {
  const rule = inOrder(rules);
  return (map, path) => {
    let found = none;
    for (const key of Object.keys(map)) {
      if (found.length >= causesMax) break;
      found = join(found, rule(key, `${path}[${key}]`));
    }
    return found;
  };
}

/** All rules, whatever the others find. */
export function all<V>(...rules: readonly Rule<V>[]): Rule<V>;
export function all<V, C>(...rules: readonly RuleWithin<V, C>[]): RuleWithin<V, C>;
export function all(...rules: readonly RuleWithin<unknown, unknown>[]): RuleWithin<unknown, unknown> {
  return askedAs(rules, (value, path, old, context) => {
    let found = none;
    for (const one of rules) found = join(found, apply(one, value, path, old, context));
    return found;
  });
}

/** The rules one after the other, up to the first that finds something. */
export function inOrder<V>(rules: Rule<V> | readonly Rule<V>[]): Rule<V>;
export function inOrder<V, C>(rules: RuleWithin<V, C> | readonly RuleWithin<V, C>[]): RuleWithin<V, C>;
export function inOrder(
  rules: RuleWithin<unknown, unknown> | readonly RuleWithin<unknown, unknown>[],
): RuleWithin<unknown, unknown> {
  if (typeof rules === 'function') return rules;
  if (rules.length === 1) return rules[0]!;
  return askedAs(rules, (value, path, old, context) => {
    for (const one of rules) {
      const found = apply(one, value, path, old, context);
      if (found.length > 0) return found;
    }
    return none;
  });
}

/** The rules, where the condition holds. */
export function when<V>(condition: (value: V, old?: V) => boolean, ...rules: readonly Rule<V>[]): Rule<V>;
export function when<V, C>(
  condition: (value: V, old?: V) => boolean,
  ...rules: readonly RuleWithin<V, C>[]
): RuleWithin<V, C>;
export function when<V, C>(
  condition: (value: V, old?: V) => boolean,
  ...rules: readonly RuleWithin<V, C>[]
): RuleWithin<V, C> {
  const rule = all(...rules);
  return (value, path, old, context) => (condition(value, old) ? rule(value, path, old, context) : none);
}

/** Marks a rule that is asked about absent values too; it must then expect `undefined`. */
export function evenIfAbsent<V>(rule: (value: V, path: string, old?: V) => readonly FieldCause[]): Rule<V> {
  return marked((value: V, path: string, old?: V) => rule(value, path, old));
}

const marked = <F extends object>(rule: F): F & { readonly evenIfAbsent: true } =>
  Object.assign(rule, { evenIfAbsent: true } as const);

/** Rules together are asked about absent values where one of them is. */
function askedAs<V, C>(rules: readonly RuleWithin<V, C>[], rule: RuleWithin<V, C>): RuleWithin<V, C> {
  return rules.some((one) => one.evenIfAbsent) ? marked(rule) : rule;
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

function apply<V, C>(
  rule: RuleWithin<V, C>,
  value: V,
  path: string,
  old: V | undefined,
  context: C,
): readonly FieldCause[] {
  return isAbsent(value) && !rule.evenIfAbsent ? none : rule(value, path, old, context);
}

const isAbsent = (value: unknown) => value === undefined || value === null;

function valueAt(object: unknown, name: string): unknown {
  return object === undefined || object === null ? undefined : (object as Record<string, unknown>)[name];
}
