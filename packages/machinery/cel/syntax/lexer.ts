import type { CelIssue } from '../errors.ts';
import { scanString } from './string-literal.ts';

/** A token of an expression; `text` is as written, `value` what a literal means. */
export type Token = {
  readonly at: number;
  readonly text: string;
} & (
  | { readonly kind: 'ident' | 'escapedIdent' | 'operator' | 'end' }
  | { readonly kind: 'int' | 'uint' | 'double' }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
);

const space = /(?:[\t\n\f\r ]|\/\/[^\n]*)+/y;
const number = /0x[0-9a-fA-F]+[uU]?|(?:\d+\.\d+|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?|\d+[uU]?/y;
const ident = /[A-Za-z_][A-Za-z0-9_]*/y;
const escapedIdent = /`[A-Za-z0-9_.\-/ ]+`/y;
const operator = /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]{}]/y;
const stringStart = /(?:[rR][bB]?|[bB][rR]?)?(?:"""|'''|"|')/y;

/** Cuts an expression into tokens, the last of kind `end`; what is none is left out and added to `issues`. */
export function tokenize(source: string, issues: CelIssue[]): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += match(space, source, at)?.length ?? 0;
    if (at >= source.length) break;
    const token = nextToken(source, at);
    if (token.kind === 'none')
      issues.push({ at, message: `Syntax error: token recognition error at: '${token.text}'` });
    else tokens.push(token);
    at += token.text.length;
  }
  tokens.push({ kind: 'end', at: source.length, text: '<EOF>' });
  return tokens;
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

type NoToken = { readonly kind: 'none'; readonly text: string };

function nextToken(source: string, at: number): Token | NoToken {
  const start = match(stringStart, source, at);
  const literal = start === undefined ? undefined : stringToken(source, at, start);
  if (literal) return literal;
  const digits = match(number, source, at);
  if (digits !== undefined) return { kind: numberKind(digits), at, text: digits };
  const name = match(ident, source, at);
  if (name !== undefined) return { kind: 'ident', at, text: name };
  const escaped = match(escapedIdent, source, at);
  if (escaped !== undefined) return { kind: 'escapedIdent', at, text: escaped };
  const symbol = match(operator, source, at);
  if (symbol !== undefined) return { kind: 'operator', at, text: symbol };
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  // Upstream has read one more where a longer token could have been.
  return { kind: 'none', text: /[=&|]/.test(character) ? source.slice(at, at + 2) : character };
}

function numberKind(text: string): 'int' | 'uint' | 'double' {
  if (/[uU]$/.test(text)) return 'uint';
  return !text.startsWith('0x') && /[.eE]/.test(text) ? 'double' : 'int';
}

/** A literal; of one that is malformed, the prefix alone is a name. */
function stringToken(source: string, at: number, start: string): Token | NoToken | undefined {
  const literal = scanString(source, at, start);
  if ('broken' in literal) return /^[a-zA-Z]/.test(start) ? undefined : { kind: 'none', text: literal.broken };
  const text = source.slice(at, literal.end);
  return typeof literal.value === 'string'
    ? { kind: 'string', at, text, value: literal.value }
    : { kind: 'bytes', at, text, value: literal.value };
}
