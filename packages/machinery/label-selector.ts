import { aggregateMessages } from './aggregate.ts';
import { int64, LabelConditions } from './label-conditions.ts';
import { labelValue, qualifiedName } from './names.ts';

export type Labels = Readonly<Record<string, string>>;

export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt';

/** One condition on one label; all of a selector's must hold. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export interface LabelMatcher {
  matches(labels: Labels | undefined | null): boolean;
  /** In the grammar of `kubectl -l`, sorted by key. */
  toString(): string;
  /** Whether it matches every object. */
  readonly empty: boolean;
  readonly requirements: readonly LabelRequirement[];
}

/** A LabelSelector as the API carries it. */
export interface LabelSelectorLike {
  readonly matchLabels?: Labels | null | undefined;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        readonly operator: string;
        readonly values?: readonly string[] | null | undefined;
      }[]
    | null
    | undefined;
}

/** So many requirements, or values of one, are looked at one by one sooner than put in order. */
const fewMax = 8;

class RequirementsMatcher implements LabelMatcher {
  readonly requirements: readonly LabelRequirement[];
  readonly #isLarge: boolean;
  #conditions: LabelConditions | undefined;

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements;
    this.#isLarge = requirements.length > fewMax || requirements.some(({ values }) => values.length > fewMax);
  }

  get empty(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Labels | undefined | null): boolean {
    if (this.#isLarge) {
      this.#conditions ??= new LabelConditions(this.requirements);
      return this.#conditions.hold(labels ?? noLabels);
    }
    for (const requirement of this.requirements) {
      if (!holds(requirement, labels ?? noLabels)) return false;
    }
    return true;
  }

  toString(): string {
    return this.requirements.map(formatRequirement).join(',');
  }
}

const noLabels: Labels = {};

/** Matches every object. */
export const everything: LabelMatcher = new RequirementsMatcher([]);

/** Matches no object. */
export const nothing: LabelMatcher = {
  requirements: [],
  empty: false,
  matches: () => false,
  toString: () => '',
};

/**
 * The matcher of a LabelSelector: undefined and null match nothing, {} everything (meta/v1 LabelSelectorAsSelector).
 * Throws with upstream's message on an unknown operator or an invalid key or value.
 */
export function labelSelectorMatcher(selector: LabelSelectorLike | undefined | null): LabelMatcher {
  if (!selector) return nothing;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push(checkedRequirement(key, '=', [value]));
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const own = expressionOperators.get(operator);
    if (!own) throw new Error(`${JSON.stringify(operator)} is not a valid label selector operator`);
    requirements.push(checkedRequirement(key, own, values ?? []));
  }
  return requirementsMatcher(requirements);
}

const expressionOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** The matcher of plain labels, as a Service's or ReplicationController's selector; {} and undefined match all. */
export function labelsMatcher(labels: Labels | undefined | null): LabelMatcher {
  return requirementsMatcher(
    Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: '=', values: [value] })),
  );
}

export function requirementsMatcher(requirements: readonly LabelRequirement[]): LabelMatcher {
  if (requirements.length === 0) return everything;
  const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return new RequirementsMatcher(sorted);
}

/** A LabelSelector in the grammar of `kubectl -l`; "<none>" and "<error>" as kubectl prints them. */
export function formatLabelSelector(selector: LabelSelectorLike | undefined | null): string {
  try {
    return labelSelectorMatcher(selector).toString() || '<none>';
  } catch {
    return '<error>';
  }
}

/** Each is hundreds of characters, and a selector may have a hundred thousand wrong values. */
const errorsMax = 100;

/** A requirement whose key, operator and values go together; throws with upstream's wording otherwise. */
export function checkedRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const errors: string[] = [];
  const keyErrors = qualifiedName(key);
  if (keyErrors.length > 0) errors.push(`key: Invalid value: ${JSON.stringify(key)}: ${keyErrors.join('; ')}`);
  const countError = valueCountError(operator, values.length);
  if (countError) errors.push(`values: Invalid value: ${JSON.stringify(values)}: ${countError}`);
  values.forEach((value, index) => {
    if ((operator === 'gt' || operator === 'lt') && int64(value) === undefined) {
      const message = "for 'Gt', 'Lt' operators, the value must be an integer";
      errors.push(`values[${index}]: Invalid value: ${JSON.stringify(value)}: ${message}`);
    }
  });
  for (let index = 0; index < values.length && errors.length < errorsMax; index += 1) {
    const value = values[index]!;
    const valueErrors = labelValue(value);
    if (valueErrors.length === 0) continue;
    errors.push(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${valueErrors.join('; ')}`);
  }
  if (errors.length > 0) throw new Error(aggregateMessages(errors));
  return { key, operator, values };
}

function valueCountError(operator: LabelOperator, count: number): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case '=':
    case '==':
    case '!=':
      return count === 1 ? undefined : 'exact-match compatibility requires one single value';
    case 'exists':
    case '!':
      return count === 0 ? undefined : 'values set must be empty for exists and does not exist';
    case 'gt':
    case 'lt':
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

function holds({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt': {
      const actual = value === undefined ? undefined : int64(value);
      const bound = int64(values[0] ?? '');
      if (actual === undefined || bound === undefined) return false;
      return operator === 'gt' ? actual > bound : actual < bound;
    }
  }
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort().join(',')})`;
    case 'gt':
      return `${key}>${values[0]}`;
    case 'lt':
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0] ?? ''}`;
  }
}
