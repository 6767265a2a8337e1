import { faultOf } from './faults.ts';

/** The head of a request about which nothing is unusual: no two readers of HTTP/1.1 could take it for different things. */
export interface SimpleHead {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** With the empty line. */
  readonly headBytes: number;
  readonly bodyBytes: number;
}

type Fields = Pick<SimpleHead, 'headers' | 'rawHeaders' | 'bodyBytes'>;

/** Longer heads are rare, and not worth keeping. */
const headBytesMax = 8 * 1024;
const headEnd = Buffer.from('\r\n\r\n');
/** The same strings for all requests: maps that are asked by them need not hash them. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const requestLine = new RegExp(`^(?:${methods.join('|')}) (\\/[\\w\\-.~:/?[\\]@!$&'()*+,;=%]*) HTTP\\/1\\.1$`);
const token = /^[!#$%&'*+\-.^_`|~\w]+$/;
const visible = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const digits = /^\d{1,9}$/;
/** They say something of the connection or of the body that is not looked at here. */
const unusual: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'trailer',
  'te',
  'expect',
  'upgrade',
  'connection',
  'keep-alive',
  'proxy-connection',
  'http2-settings',
]);

/** Reads heads of one connection. Its client sends the same fields again and again: they are kept. */
export class SimpleHeads {
  #latest = '';
  #fields: Fields | undefined;

  /** Undefined where something is unusual, or not all of the head is there. */
  read(chunk: Buffer): SimpleHead | undefined {
    const end = chunk.indexOf(headEnd);
    if (end < 0 || end > headBytesMax) return undefined;
    const head = chunk.toString('latin1', 0, end);
    const lineEnd = head.indexOf('\r\n');
    if (lineEnd < 0) return undefined;
    const [, target] = requestLine.exec(head.slice(0, lineEnd)) ?? [];
    const fields = this.#read(head.slice(lineEnd + 2));
    if (target === undefined || !fields) return undefined;
    const method = methods.find((each) => head.startsWith(each))!;
    if (method === 'GET' && fields.bodyBytes > 0) return undefined;
    const { headers, rawHeaders, bodyBytes } = fields;
    return { method, target, headers, rawHeaders, headBytes: end + headEnd.length, bodyBytes };
  }

  #read(block: string): Fields | undefined {
    if (block === this.#latest) return this.#fields;
    this.#fields = fieldsOf(block);
    this.#latest = block;
    return this.#fields;
  }
}

function fieldsOf(block: string): Fields | undefined {
  // Not without a prototype: those objects are dictionaries, and slow. A header of an inherited name is not for us.
  const headers: Record<string, string> = {};
  const rawHeaders: string[] = [];
  for (const line of block.split('\r\n')) {
    const colon = line.indexOf(': ');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 2);
    const key = name.toLowerCase();
    if (!token.test(name) || !visible.test(value) || unusual.has(key) || key in headers) return undefined;
    headers[key] = value;
    rawHeaders.push(name, value);
  }
  const length = headers['content-length'];
  if (length !== undefined && !digits.test(length)) return undefined;
  if (faultOf({ headers, rawHeaders, httpVersionMajor: 1, httpVersionMinor: 1 })) return undefined;
  return { headers, rawHeaders, bodyBytes: Number(length ?? 0) };
}
