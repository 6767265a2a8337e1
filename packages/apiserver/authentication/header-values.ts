import type { Credentials } from '../seams.ts';

/**
 * The values of a header, one for each time that it came: a comma inside of a value stays. Bytes are UTF-8, as Go reads
 * them; Node reads them as Latin-1.
 */
export function headerValues(credentials: Credentials, name: string): readonly string[] {
  const { rawHeaders, headers } = credentials;
  if (!rawHeaders) {
    const value = headers[name];
    return typeof value === 'string' ? [value] : (value ?? []);
  }
  if (headers[name] === undefined) return [];
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() === name) values.push(asUtf8(rawHeaders[at + 1]!));
  }
  return values;
}

const isAscii = /^[\0-\x7f]*$/;
const asUtf8 = (text: string): string => (isAscii.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8'));

/** A key that is the rest of a header's name: %-encoded, as bytes of a name are few. What cannot be decoded stays. */
export function unescapedKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
