/**
 * What is wrong with a text that is no JSON, as Go's encoding/json words it: the first character that does not fit, and
 * where. Only called after JSON.parse refused the text.
 */
export function jsonSyntaxError(text: string): string {
  const scan = new SyntaxScan(text);
  return scan.run() ?? 'unexpected end of JSON input';
}

type Where =
  | 'looking for beginning of value'
  | 'looking for beginning of object key string'
  | 'after object key'
  | 'after object key:value pair'
  | 'after array element'
  | 'after top-level value';

class SyntaxScan {
  readonly #text: string;
  #at = 0;
  #expects: Where = 'looking for beginning of value';
  readonly #open: string[] = [];
  /** An empty list or object may end here. */
  #mayEnd = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** The first error; undefined where the text just ends. */
  run(): string | undefined {
    for (;;) {
      while (' \t\r\n'.includes(this.#text.charAt(this.#at)) && this.#at < this.#text.length) this.#at++;
      if (this.#at >= this.#text.length) return undefined;
      const failure = this.#step(this.#text.charAt(this.#at));
      if (failure !== undefined) return failure || undefined;
    }
  }

  /** One token; '' where the text ends within it. */
  #step(character: string): string | undefined {
    const mayEnd = this.#mayEnd;
    this.#mayEnd = false;
    switch (this.#expects) {
      case 'looking for beginning of value':
        if (mayEnd && character === ']') return this.#close();
        return this.#value(character);
      case 'looking for beginning of object key string':
        if (mayEnd && character === '}') return this.#close();
        if (character !== '"') return this.#refuse(character);
        return this.#string('after object key');
      case 'after object key':
        return character === ':' ? this.#advance('looking for beginning of value') : this.#refuse(character);
      case 'after object key:value pair':
        if (character === '}') return this.#close();
        return character === ','
          ? this.#advance('looking for beginning of object key string')
          : this.#refuse(character);
      case 'after array element':
        if (character === ']') return this.#close();
        return character === ',' ? this.#advance('looking for beginning of value') : this.#refuse(character);
      case 'after top-level value':
        return this.#refuse(character);
    }
  }

  #value(character: string): string | undefined {
    if (character === '{' || character === '[') {
      this.#open.push(character);
      this.#mayEnd = true;
      return this.#advance(
        character === '{' ? 'looking for beginning of object key string' : 'looking for beginning of value',
      );
    }
    if (character === '"') return this.#string(this.#afterValue());
    const literal = ['true', 'false', 'null'].find((word) => word.startsWith(character));
    if (literal) return this.#literal(literal);
    if (!/[-0-9]/.test(character)) return this.#refuse(character);
    return this.#number();
  }

  #string(next: Where): string | undefined {
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const character = this.#text.charAt(at);
      if (character < ' ') return `invalid character ${quoted(character)} in string literal`;
      if (character === '"') {
        this.#at = at;
        return this.#advance(next);
      }
      if (character !== '\\') continue;
      const escape = /^(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/.exec(this.#text.slice(at + 1, at + 6));
      if (!escape) return at + 1 < this.#text.length ? this.#badEscape(at + 1) : '';
      at += escape[0].length;
    }
    return '';
  }

  #badEscape(at: number): string {
    const character = this.#text.charAt(at);
    if (character !== 'u') return `invalid character ${quoted(character)} in string escape code`;
    const bad = /[^0-9a-fA-F]/.exec(this.#text.slice(at + 1, at + 5));
    return bad ? `invalid character ${quoted(bad[0])} in \\u hexadecimal character escape` : '';
  }

  #literal(word: string): string | undefined {
    for (let index = 1; index < word.length; index++) {
      const character = this.#text.charAt(this.#at + index);
      if (character === '') return '';
      if (character !== word[index]) {
        return `invalid character ${quoted(character)} in literal ${word} (expecting ${quoted(word.charAt(index))})`;
      }
    }
    this.#at += word.length - 1;
    return this.#advance(this.#afterValue());
  }

  #number(): string | undefined {
    const match = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(this.#text.slice(this.#at));
    if (!match) {
      const character = this.#text.charAt(this.#at + 1);
      return character === '' ? '' : `invalid character ${quoted(character)} in numeric literal`;
    }
    this.#at += match[0].length - 1;
    return this.#advance(this.#afterValue());
  }

  #close(): undefined {
    this.#open.pop();
    this.#advance(this.#afterValue());
  }

  #advance(next: Where): undefined {
    this.#at++;
    this.#expects = next;
  }

  #afterValue(): Where {
    const inside = this.#open.at(-1);
    if (inside === undefined) return 'after top-level value';
    return inside === '{' ? 'after object key:value pair' : 'after array element';
  }

  #refuse(character: string): string {
    return `invalid character ${quoted(character)} ${this.#expects}`;
  }
}

function quoted(character: string): string {
  if (character === "'") return "'\\''";
  return character === '"' ? `'"'` : `'${JSON.stringify(character).slice(1, -1)}'`;
}
