import { hasFreeKeys, valuesOf, type Schema } from './schema.ts';

/** Where a path leads in a schema: its canonical form (`spec.a[key]`), and the schema there, where one says. */
export interface FoundPath {
  readonly path: string;
  readonly first: string;
  readonly schema: Schema | undefined;
}

/**
 * Follows a path of fields and keys (`.spec.a`, `.map['b.c']`) through a schema (apiextensions, ValidFieldPath). Answers
 * what is wrong with the path where it leads nowhere. `brackets`: whether keys may stand in them.
 */
export function followPath(schema: Schema, text: string, brackets = true): FoundPath | string {
  let at: Schema | undefined = schema;
  let path = '';
  let first = '';
  const tokens = tokensOf(text);
  for (let index = 0; index < tokens.length; index += 1) {
    const isBracket = tokens[index] === '[';
    if (!isBracket && tokens[index] !== '.') return `expected [ or . but got: ${tokens[index]}`;
    if (isBracket && !brackets) return 'array notation is not allowed';
    index += 1;
    const token = tokens[index];
    if (token === undefined) return 'unexpected end of JSON path';
    if (isBracket && !/^'.*'$/s.test(token)) return `expected single quoted string but got ${token}`;
    const name = isBracket ? unescaped(token.slice(1, -1)) : token;
    if (name === undefined) return 'invalid string literal: invalid escape char';
    const properties: Readonly<Record<string, Schema>> = at?.properties ?? {};
    if (Object.keys(properties).length > 0) {
      if (!Object.hasOwn(properties, name)) return 'does not refer to a valid field';
      at = properties[name];
      path = path ? `${path}.${name}` : name;
    } else if (at && hasFreeKeys(at)) {
      at = valuesOf(at);
      path = `${path}[${name}]`;
    } else return 'does not refer to a valid field';
    first ||= path;
    if (isBracket && tokens[(index += 1)] !== ']') {
      return index < tokens.length ? `expected ] but got ${tokens[index]}` : 'unexpected end of JSON path';
    }
  }
  return { path, first, schema: at };
}

/** Dots, brackets, and what is between them; a quoted text is one. */
const tokensOf = (text: string): string[] => text.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/gs) ?? [];

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unescaped(text: string): string | undefined {
  let isBad = false;
  const plain = text.replace(/\\(.)/gs, (_, letter: string) => {
    isBad ||= escapes[letter] === undefined;
    return escapes[letter] ?? '';
  });
  return isBad ? undefined : plain;
}
