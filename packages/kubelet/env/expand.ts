/**
 * Replaces `$(NAME)` by its value and `$$` by `$`; a reference to an unknown name stays as it is written
 * (upstream: third_party/forked/golang/expansion).
 */
export function expand(text: string, valueOf: (name: string) => string | undefined): string {
  if (!text.includes('$')) return text;
  let result = '';
  let at = 0;
  while (at < text.length) {
    const dollar = text.indexOf('$', at);
    if (dollar < 0 || dollar + 1 >= text.length) return result + text.slice(at);
    result += text.slice(at, dollar);
    const next = text[dollar + 1];
    if (next === '$') {
      result += '$';
      at = dollar + 2;
      continue;
    }
    const end = next === '(' ? text.indexOf(')', dollar + 2) : -1;
    if (end < 0) {
      // An opening bracket that is never closed is taken literally, as any other character after a dollar sign.
      result += text.slice(dollar, dollar + 2);
      at = dollar + 2;
      continue;
    }
    const reference = text.slice(dollar, end + 1);
    result += valueOf(reference.slice(2, -1)) ?? reference;
    at = end + 1;
  }
  return result;
}
