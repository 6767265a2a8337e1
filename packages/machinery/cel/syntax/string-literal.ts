interface StringLiteral {
  readonly end: number;
  readonly value: string | Uint8Array;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

/**
 * Reads the string or bytes literal that begins at `at` with `start` (its prefixes and quotes). In bytes, `\x` and octal
 * escapes are bytes; in strings they are code points. When it is malformed, answers what was read of it.
 */
export function scanString(source: string, at: number, start: string): StringLiteral | { readonly broken: string } {
  const quote = start.replace(/^[a-zA-Z]+/, '');
  const raw = /[rR]/.test(start);
  const bytes = /[bB]/.test(start);
  const pieces: (string | number)[] = [];
  let position = at + start.length;
  while (!source.startsWith(quote, position)) {
    const character = source[position];
    if (character === undefined || (quote.length === 1 && (character === '\n' || character === '\r'))) {
      return { broken: source.slice(at, position) };
    }
    if (character === '\\' && !raw) {
      const escape = readEscape(source, position, bytes);
      if (escape === undefined) return { broken: source.slice(at, position + 2) };
      pieces.push(escape.value);
      position = escape.end;
    } else {
      // In triple quotes a line break is one newline, however it was written.
      pieces.push(character === '\r' ? '\n' : character);
      position += character === '\r' && source[position + 1] === '\n' ? 2 : 1;
    }
  }
  return { end: position + quote.length, value: bytes ? toBytes(pieces) : pieces.join('') };
}

function readEscape(source: string, at: number, bytes: boolean): { value: string | number; end: number } | undefined {
  const kind = source[at + 1] ?? '';
  const simple = simpleEscapes[kind];
  if (simple !== undefined) return { value: simple, end: at + 2 };
  const pattern = escapePattern(kind, bytes);
  const digits = pattern?.digits.exec(source.slice(at + pattern.skip, at + pattern.skip + 8))?.[0];
  if (pattern === undefined || digits === undefined) return undefined;
  const code = Number.parseInt(digits, pattern.base);
  const end = at + pattern.skip + digits.length;
  if (bytes) return code > 0xff ? undefined : { value: code, end };
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return { value: String.fromCodePoint(code), end };
}

function escapePattern(kind: string, bytes: boolean): { digits: RegExp; skip: number; base: number } | undefined {
  if (kind === 'x' || kind === 'X') return { digits: /^[0-9a-fA-F]{2}/, skip: 2, base: 16 };
  if (kind >= '0' && kind <= '3') return { digits: /^[0-3][0-7]{2}/, skip: 1, base: 8 };
  if (kind === 'u' && !bytes) return { digits: /^[0-9a-fA-F]{4}/, skip: 2, base: 16 };
  if (kind === 'U' && !bytes) return { digits: /^[0-9a-fA-F]{8}/, skip: 2, base: 16 };
  return undefined;
}

function toBytes(pieces: readonly (string | number)[]): Uint8Array {
  const result: number[] = [];
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else {
      result.push(...Buffer.from(text), piece);
      text = '';
    }
  }
  return Uint8Array.from([...result, ...Buffer.from(text)]);
}
