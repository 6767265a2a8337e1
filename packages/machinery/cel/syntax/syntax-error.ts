import type { CelIssue } from '../errors.ts';
import type { Token } from './lexer.ts';

/** The first fault at which the parser stops. */
export class SyntaxFault extends Error {
  readonly issue: CelIssue;

  constructor(issue: CelIssue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** The tokens that an expression begins with, and those beside them at some places, in upstream's order. */
const order = ['[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', 'true', 'false', 'null'];
const begins = new Set(['[', '{', '(', '.', '-', '!', 'true', 'false', 'null']);
const classes = ['NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER'];

/** How upstream's parser names all that may stand where an expression begins. */
function expressionStart(also: readonly string[]): string {
  const symbols = order.filter((symbol) => begins.has(symbol) || also.includes(symbol));
  return `{${[...symbols.map((symbol) => `'${symbol}'`), ...classes].join(', ')}}`;
}

const beginsExpression = ({ kind, text }: Token): boolean =>
  kind === 'operator' ? begins.has(text) : kind !== 'end' && kind !== 'escapedIdent' && text !== 'in';

/** What is wrong where an expression should begin; `also`: what else may stand there; `before`: the token before. */
export function noExpression(token: Token, next: Token, also: readonly string[], before: Token | undefined): string {
  if (before?.kind === 'operator' && before.text === '-') {
    return `Syntax error: no viable alternative at input '-${token.kind === 'end' ? '' : token.text}'`;
  }
  const isExtra = before?.text === '!' || (token.kind !== 'end' && beginsExpression(next));
  const how = isExtra ? 'extraneous' : 'mismatched';
  return `Syntax error: ${how} input '${token.text}' expecting ${expressionStart(also)}`;
}

/** What is wrong where a field's name should stand; `optional`: after `.?`. */
export function noField({ kind, text }: Token, optional: boolean): string {
  if (!optional) return `Syntax error: no viable alternative at input '.${kind === 'end' ? '' : text}'`;
  return `Syntax error: mismatched input '${text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`;
}

/** What is wrong where one of these symbols should stand (upstream's parser tries to go on without, or with one more). */
export function noSymbol(token: Token, next: Token | undefined, expected: readonly string[]): string {
  const shown = expected.map((symbol) => (/[A-Z]/.test(symbol) ? symbol : `'${symbol}'`));
  const listed = shown.length === 1 ? shown[0] : `{${shown.join(', ')}}`;
  if (next && token.kind !== 'end' && expected.includes(next.text)) {
    return `Syntax error: extraneous input '${token.text}' expecting ${listed}`;
  }
  const goesOn = expected[0] === ':' ? beginsExpression(token) : token.kind === 'end';
  if (goesOn && expected.length === 1 && expected[0] !== '<EOF>') {
    return `Syntax error: missing ${listed} at '${token.text}'`;
  }
  return `Syntax error: mismatched input '${token.text}' expecting ${listed}`;
}
