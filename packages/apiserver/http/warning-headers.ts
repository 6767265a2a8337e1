/** Upstream's limits, in characters: of all warnings together, and of each one where that is exceeded. */
const charactersMax = 4 * 1024;
const itemCharactersMax = 256;

/**
 * `Warning` headers (RFC 7234 5.5: code 299, no agent, the text quoted): each text once. Where all together are too long,
 * each is cut, and what is still too much is left out (apiserver, endpoints/filters/warning.go).
 */
export function warningHeaders(texts: readonly string[]): string[] {
  const distinct = [...new Set(texts)].filter((text) => text !== '').map((text) => text.replace(/\p{Cc}+/gu, ' '));
  const total = distinct.reduce((sum, text) => sum + lengthOf(text), 0);
  if (total <= charactersMax) return distinct.map(warningHeader);
  const headers: string[] = [];
  let written = 0;
  for (const text of distinct) {
    if (written >= charactersMax) break;
    const cut = Array.from(text).slice(0, itemCharactersMax).join('');
    written += lengthOf(cut);
    headers.push(warningHeader(cut));
  }
  return headers;
}

const lengthOf = (text: string): number => (/^[\x20-\x7e]*$/.test(text) ? text.length : Array.from(text).length);

/** Node takes a header's characters for bytes: so the text goes out as UTF-8, as upstream writes it. */
function warningHeader(text: string): string {
  const quoted = `299 - "${text.replace(/["\\]/g, '\\$&')}"`;
  return /^[\x20-\x7e]*$/.test(quoted) ? quoted : Buffer.from(quoted, 'utf8').toString('latin1');
}
