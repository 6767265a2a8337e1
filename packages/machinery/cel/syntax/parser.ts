import type { Expression, MapEntry, StructField } from './ast.ts';
import { CelCompileError, type CelIssue } from '../errors.ts';
import { tokenize, type Token } from './lexer.ts';
import { expandMacro } from './macros.ts';
import { NodeFactory } from './node-factory.ts';
import { noExpression, noField, noSymbol, SyntaxFault } from './syntax-error.ts';
import { Double, int64Max, int64Min, toInt, Uint, uint64Max, type CelValue } from '../values.ts';

/** The most code points of an expression and the deepest nesting, as upstream's parser limits them. */
const codePointsMax = 100_000;
const depthMax = 250;

const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

const relations: ReadonlyMap<string, string> = new Map([
  ['==', '_==_'],
  ['!=', '_!=_'],
  ['<', '_<_'],
  ['<=', '_<=_'],
  ['>', '_>_'],
  ['>=', '_>=_'],
  ['in', '@in'],
]);
const sums: ReadonlyMap<string, string> = new Map([
  ['+', '_+_'],
  ['-', '_-_'],
]);
const products: ReadonlyMap<string, string> = new Map([
  ['*', '_*_'],
  ['/', '_/_'],
  ['%', '_%_'],
]);

/**
 * Parses an expression and expands its macros, `cel.bind` only where `bindings` says so. Throws `CelCompileError` with
 * upstream's layout of syntax errors.
 */
export function parse(source: string, bindings = false): Expression {
  const size = source.length > codePointsMax ? Array.from(source).length : source.length;
  if (size > codePointsMax) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${codePointsMax}`;
    throw new CelCompileError(source, [{ at: 0, message }]);
  }
  const issues: CelIssue[] = [];
  const parser = new Parser(tokenize(source, issues), bindings);
  try {
    const parsed = parser.parseAll();
    if (issues.length === 0) return parsed;
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    issues.push(error.issue);
  }
  throw new CelCompileError(source, issues);
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #nodes = new NodeFactory();
  readonly #bindings: boolean;
  #position = 0;
  #depth = 0;
  #beside: { readonly position: number; readonly symbols: readonly string[] } = { position: -1, symbols: [] };

  constructor(tokens: readonly Token[], bindings: boolean) {
    this.#tokens = tokens;
    this.#bindings = bindings;
  }

  parseAll(): Expression {
    const result = this.#expression();
    if (this.#token.kind !== 'end') this.#unexpected(['<EOF>']);
    return result;
  }

  get #token(): Token {
    return this.#tokens[this.#position] as Token;
  }

  #fail(issue: CelIssue): never {
    throw new SyntaxFault(issue);
  }

  #unexpected(expected: readonly string[]): never {
    const token = this.#token;
    this.#fail({ at: token.at, message: noSymbol(token, this.#tokens[this.#position + 1], expected) });
  }

  #noExpression(): never {
    const [before, token, next] = [-1, 0, 1].map((step) => this.#tokens[this.#position + step]);
    if (!token) throw new RangeError('the parser went past the end');
    const beside = this.#beside.position === this.#position ? this.#beside.symbols : [];
    this.#fail({ at: token.at, message: noExpression(token, next ?? token, beside, before) });
  }

  /** Notes what may stand here beside an expression. */
  #besideExpression(symbols: readonly string[]): void {
    this.#beside = { position: this.#position, symbols };
  }

  #is(text: string): boolean {
    const token = this.#token;
    return token.text === text && (token.kind === 'operator' || token.kind === 'ident');
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#position++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) this.#unexpected([text]);
  }

  #expression(): Expression {
    if (++this.#depth > depthMax) {
      this.#fail({ at: this.#token.at, message: `expression recursion limit exceeded: ${depthMax}` });
    }
    const condition = this.#or();
    const { at } = this.#token;
    let result = condition;
    if (this.#accept('?')) {
      const yes = this.#or();
      this.#expect(':');
      result = this.#nodes.call(at, '_?_:_', [condition, yes, this.#expression()]);
    }
    this.#depth--;
    return result;
  }

  #or(): Expression {
    return this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()));
  }

  /** A chain of one logical operator as a balanced tree: long chains stay shallow. */
  #logical(symbol: string, name: string, operand: () => Expression): Expression {
    const terms = [operand()];
    const places: number[] = [];
    for (let { at } = this.#token; this.#accept(symbol); { at } = this.#token) {
      places.push(at);
      terms.push(operand());
    }
    const balance = (low: number, high: number): Expression => {
      if (low === high) return terms[low] as Expression;
      const middle = (low + high) >> 1;
      return this.#nodes.call(places[middle] as number, name, [balance(low, middle), balance(middle + 1, high)]);
    };
    return balance(0, terms.length - 1);
  }

  #relation(): Expression {
    return this.#binary(relations, () => this.#binary(sums, () => this.#binary(products, () => this.#unary())));
  }

  #binary(operators: ReadonlyMap<string, string>, operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const { at, kind, text } = this.#token;
      const name = kind === 'operator' || text === 'in' ? operators.get(text) : undefined;
      if (name === undefined) return left;
      this.#position++;
      left = this.#nodes.call(at, name, [left, operand()]);
    }
  }

  #unary(): Expression {
    const { at } = this.#token;
    if (this.#is('!')) return this.#prefix(at, '!', '!_');
    const next = this.#tokens[this.#position + 1];
    if (this.#is('-') && next?.kind !== 'int' && next?.kind !== 'double') return this.#prefix(at, '-', '-_');
    return this.#member();
  }

  #prefix(at: number, symbol: string, name: string): Expression {
    let count = 0;
    while (this.#accept(symbol)) count++;
    const operand = this.#member();
    return count % 2 === 0 ? operand : this.#nodes.call(at, name, [operand]);
  }

  #member(): Expression {
    let result = this.#primary();
    for (;;) {
      const { at } = this.#token;
      if (this.#accept('.')) result = this.#selected(result, at);
      else if (this.#accept('[')) {
        this.#besideExpression(['?']);
        const optional = this.#accept('?');
        const index = this.#expression();
        this.#expect(']');
        result = this.#nodes.call(at, optional ? '_[?_]' : '_[_]', [result, index]);
      } else if (this.#is('{') && qualifiedName(result) !== undefined) result = this.#struct(result, at);
      else return result;
    }
  }

  #selected(operand: Expression, at: number): Expression {
    const optional = this.#accept('?');
    const { kind, text } = this.#token;
    if ((kind !== 'ident' && kind !== 'escapedIdent') || text === 'in')
      this.#fail({ at: this.#token.at, message: noField(this.#token, optional) });
    this.#position++;
    const field = kind === 'escapedIdent' ? text.slice(1, -1) : text;
    const callAt = this.#token.at;
    if (!optional && kind === 'ident' && this.#accept('('))
      return this.#call(callAt, field, this.#arguments(), operand);
    if (optional) return this.#nodes.call(at, '_?._', [operand, this.#nodes.literal(at, field)]);
    return this.#nodes.select(at, operand, field);
  }

  #call(at: number, name: string, values: readonly Expression[], target?: Expression): Expression {
    const expanded = expandMacro({ at, name, target, values, nodes: this.#nodes, bindings: this.#bindings });
    if (expanded === undefined) return this.#nodes.call(at, name, values, target);
    if ('message' in expanded) this.#fail(expanded);
    return expanded;
  }

  #arguments(): Expression[] {
    if (this.#accept(')')) return [];
    this.#besideExpression([')']);
    const values = [this.#expression()];
    while (this.#accept(',')) values.push(this.#expression());
    this.#expect(')');
    return values;
  }

  #primary(): Expression {
    const token = this.#token;
    this.#position++;
    if (token.kind === 'operator') return this.#operatorPrimary(token);
    if (token.kind === 'ident') return this.#named(token, '');
    if (token.kind === 'end' || token.kind === 'escapedIdent') {
      this.#position--;
      this.#noExpression();
    }
    return this.#nodes.literal(token.at, this.#literal(token, ''));
  }

  #operatorPrimary({ at, text }: Token): Expression {
    if (text === '(') {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    if (text === '[') return this.#listLiteral(at);
    if (text === '{') return this.#nodes.map(at, this.#mapEntries());
    const next = this.#token;
    if (text === '.' && next.kind === 'ident') {
      this.#position++;
      return this.#named(next, '.');
    }
    if (text === '-' && (next.kind === 'int' || next.kind === 'double')) {
      this.#position++;
      return this.#nodes.literal(at, this.#literal(next, '-'));
    }
    this.#position--;
    this.#noExpression();
  }

  #named({ at, text }: Token, prefix: string): Expression {
    if (text === 'true' || text === 'false') return this.#nodes.literal(at, text === 'true');
    if (text === 'null') return this.#nodes.literal(at, null);
    if (reserved.has(text)) {
      if (text === 'in') {
        this.#position--;
        this.#noExpression();
      }
      this.#fail({ at, message: `reserved identifier: ${text}` });
    }
    const callAt = this.#token.at;
    if (this.#accept('(')) return this.#call(callAt, prefix + text, this.#arguments());
    return this.#nodes.ident(at, prefix + text);
  }

  #literal(token: Token, sign: string): CelValue {
    const { at, text } = token;
    if (token.kind === 'string' || token.kind === 'bytes') return token.value;
    if (token.kind === 'double') {
      const value = Number(sign + text);
      if (!Number.isFinite(value)) this.#fail({ at, message: 'invalid double literal' });
      return new Double(value);
    }
    const magnitude = BigInt(text.replace(/[uU]$/, ''));
    const value = sign === '-' ? -magnitude : magnitude;
    if (token.kind === 'uint') {
      if (value > uint64Max) this.#fail({ at, message: 'invalid uint literal' });
      return new Uint(value);
    }
    if (value > int64Max || value < int64Min) this.#fail({ at, message: 'invalid int literal' });
    return toInt(value);
  }

  #listLiteral(at: number): Expression {
    const elements: { value: Expression; optional: boolean }[] = [];
    this.#besideExpression([']', ',', '?']);
    if (this.#is(',') && this.#tokens[this.#position + 1]?.text === ']') this.#position++;
    while (!this.#accept(']')) {
      const optional = this.#accept('?');
      elements.push({ optional, value: this.#expression() });
      if (!this.#accept(',') && !this.#is(']')) this.#unexpected([']', ',']);
    }
    return this.#nodes.list(at, elements);
  }

  #mapEntries(): MapEntry[] {
    const entries: MapEntry[] = [];
    this.#besideExpression(['}', ',', '?']);
    if (this.#is(',') && this.#tokens[this.#position + 1]?.text === '}') this.#position++;
    while (!this.#accept('}')) {
      const optional = this.#accept('?');
      const key = this.#expression();
      this.#expect(':');
      entries.push({ id: this.#nodes.nextId(), key, optional, value: this.#expression() });
      if (!this.#accept(',') && !this.#is('}')) this.#unexpected(['}', ',']);
    }
    return entries;
  }

  #struct(type: Expression, at: number): Expression {
    this.#expect('{');
    const fields: StructField[] = [];
    while (!this.#accept('}')) {
      const optional = this.#accept('?');
      const token = this.#token;
      if (token.kind !== 'ident' && token.kind !== 'escapedIdent')
        this.#unexpected(['}', ',', '?', 'IDENTIFIER', 'ESC_IDENTIFIER']);
      this.#position++;
      const { at } = this.#token;
      this.#expect(':');
      const name = token.kind === 'escapedIdent' ? token.text.slice(1, -1) : token.text;
      fields.push({ id: this.#nodes.nextId(), at, name, optional, value: this.#expression() });
      if (!this.#accept(',') && !this.#is('}')) this.#unexpected(['}', ',']);
    }
    return this.#nodes.struct(at, qualifiedName(type) as string, fields);
  }
}

/** The dotted name that a chain of selections spells: `a.b.c`; undefined for any other expression. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'ident') return expression.name;
  if (expression.kind !== 'select' || expression.testOnly) return undefined;
  const operand = qualifiedName(expression.operand);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}
