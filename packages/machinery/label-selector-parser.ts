import { qualifiedName } from './names.ts';
import {
  checkedRequirement,
  requirementsMatcher,
  type LabelMatcher,
  type LabelOperator,
  type LabelRequirement,
} from './label-selector.ts';

interface Token {
  readonly kind: 'identifier' | 'symbol' | 'word' | 'end';
  readonly text: string;
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);
const operatorNames = 'in, notin, =, ==, !=, gt, lt';

/**
 * Parses the grammar of `kubectl -l` and of `labelSelector=` in a query: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`.
 * Throws an Error with upstream's wording.
 */
export function parseLabelSelector(text: string): LabelMatcher {
  return requirementsMatcher(new Parser(text).parse());
}

/** Every character belongs to a token or to the space between tokens. */
const tokenPattern = () => /==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+/g;

function kindOf(part: string): Token['kind'] {
  if (part === 'in' || part === 'notin') return 'word';
  return '=!(),<>'.includes(part.charAt(0)) ? 'symbol' : 'identifier';
}

class Parser {
  readonly #text: string;
  readonly #pattern = tokenPattern();
  /** Looked at already, but not taken. Others are not made before they are needed: most wrong texts end soon. */
  #next: Token | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return requirements;
      if (!startsRequirement(token)) {
        throw new Error(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.kind === 'end') return requirements;
      if (!isSymbol(next, ',')) throw new Error(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (!startsRequirement(after)) throw new Error(`found '${after.text}', expected: identifier after ','`);
    }
  }

  #peek(): Token {
    if (this.#next) return this.#next;
    const [part] = this.#pattern.exec(this.#text) ?? [];
    this.#next = part === undefined ? endToken : { kind: kindOf(part), text: part };
    return this.#next;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next = undefined;
    return token;
  }

  #requirement(): LabelRequirement {
    try {
      return this.#requirementUnwrapped();
    } catch (error) {
      throw new Error(`unable to parse requirement: ${(error as Error).message}`, { cause: error });
    }
  }

  #requirementUnwrapped(): LabelRequirement {
    let token = this.#take();
    const negated = isSymbol(token, '!');
    if (negated) token = this.#take();
    if (!isName(token)) throw new Error(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const keyErrors = qualifiedName(key);
    if (keyErrors.length > 0) {
      throw new Error(`<nil>: Invalid value: ${JSON.stringify(key)}: ${keyErrors.join('; ')}`);
    }
    const next = this.#peek();
    if (negated) return checkedRequirement(key, '!', []);
    if (next.kind === 'end' || isSymbol(next, ',')) return checkedRequirement(key, 'exists', []);
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()];
    return checkedRequirement(key, operator, [...new Set(values)].sort());
  }

  #operator(): LabelOperator {
    const token = this.#take();
    const operator = token.kind === 'identifier' ? undefined : operators.get(token.text);
    if (!operator) throw new Error(`found '${token.text}', expected: ${operatorNames}`);
    return operator;
  }

  #exactValue(): string {
    const next = this.#peek();
    if (next.kind === 'end' || isSymbol(next, ',')) return '';
    this.#take();
    if (isName(next)) return next.text;
    throw new Error(`found '${next.text}', expected: identifier`);
  }

  #values(): string[] {
    const open = this.#take();
    if (!isSymbol(open, '(')) throw new Error(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (isSymbol(first, ')')) {
      this.#take();
      return [''];
    }
    if (!isName(first) && !isSymbol(first, ',')) {
      throw new Error(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    return this.#list();
  }

  /** Values up to the closing parenthesis; nothing between two commas is the empty value. */
  #list(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      const next = this.#peek();
      if (isName(token)) {
        values.push(token.text);
        if (isSymbol(next, ',')) continue;
        if (!isSymbol(next, ')')) throw new Error(`found '${next.text}', expected: ',' or ')'`);
      } else if (isSymbol(token, ',')) {
        if (values.length === 0 || isSymbol(next, ',') || isSymbol(next, ')')) values.push('');
        if (!isSymbol(next, ')')) continue;
      } else {
        throw new Error(`found '${token.text}', expected: ',', or identifier`);
      }
      this.#take();
      return values;
    }
  }
}

const endToken: Token = { kind: 'end', text: '' };
const isSymbol = (token: Token, text: string) => token.kind === 'symbol' && token.text === text;
/** "in" and "notin" are operators only where an operator stands. */
const isName = (token: Token) => token.kind === 'identifier' || token.kind === 'word';
const startsRequirement = (token: Token) => isName(token) || isSymbol(token, '!');
