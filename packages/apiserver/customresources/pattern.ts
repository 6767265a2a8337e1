const patterns = new Map<string, RegExp | Error>();
const patternsMax = 10_000;

/** A pattern in Go's syntax (RE2) as a RegExp; an Error where it is none. */
export function compilePattern(text: string): RegExp | Error {
  let pattern = patterns.get(text);
  if (!pattern) {
    if (patterns.size >= patternsMax) patterns.clear();
    patterns.set(text, (pattern = compile(text)));
  }
  return pattern;
}

const classes: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  space: '\\t\\n\\v\\f\\r ',
  xdigit: '0-9A-Fa-f',
  word: '0-9A-Za-z_',
  punct: '!-\\/:-@\\[-`{-~',
};

function compile(text: string): RegExp | Error {
  const [, flags = ''] = /^\(\?([ims]+)\)/.exec(text) ?? [];
  const source = text
    .slice(flags ? flags.length + 3 : 0)
    .replace(/\(\?P</g, '(?<')
    .replace(/\\A/g, '^')
    .replace(/\\z/g, '$')
    .replace(/\[:(\w+):\]/g, (whole, name: string) => classes[name] ?? whole);
  if (/\(\?[=!]|\(\?<[=!]/.test(source)) return new Error('invalid or unsupported Perl syntax');
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    try {
      return new RegExp(source, flags);
    } catch (error) {
      return error as Error;
    }
  }
}
