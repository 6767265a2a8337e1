import { CelError } from '../errors.ts';
import { functionTable } from '../function.ts';
import { Opaque, type CelValue } from '../values.ts';

/** A URL in parts, as Go's url.Parse cuts it: nothing is normalized. */
class Url extends Opaque {
  readonly typeName = 'kubernetes.URL';
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string, parts: RegExpExecArray) {
    super();
    const [, scheme = '', authority = '', path = '', query = ''] = parts;
    this.text = text;
    this.scheme = scheme.toLowerCase();
    this.host = decodeURIComponentSafe(authority.slice(authority.lastIndexOf('@') + 1));
    this.path = escapePath(path);
    this.query = query;
  }

  override equals(other: CelValue): boolean {
    return other instanceof Url && other.text === this.text;
  }

  get hostname(): string {
    return this.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? '';
  }
}

const absolute = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;

function decodeURIComponentSafe(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escapePath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@!'()*%[\]]/gu, encodeURIComponent);
}

/** What is wrong with a URL by the rules of Go's url.ParseRequestURI; undefined when nothing is. */
export function requestUriProblem(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  if (text === '') return 'parse "": empty url';
  // Control characters are what Go refuses first.
  if (Array.from(text).some((character) => character < ' ' || character === '\x7f')) {
    return `parse ${quoted}: net/url: invalid control character in URL`;
  }
  const parts = absolute.exec(text);
  if (text.startsWith(':')) return `parse ${quoted}: missing protocol scheme`;
  if (parts?.[1] === undefined && !text.startsWith('/')) return `parse ${quoted}: invalid URI for request`;
  if (parts?.[1] !== undefined && parts[2] === undefined && !(parts[3] ?? '').startsWith('/')) {
    return `parse ${quoted}: invalid URI for request`;
  }
  const escape = /%(?![0-9A-Fa-f]{2})(.{0,2})/.exec(text.split('?', 1)[0] ?? '');
  if (escape !== null) return `parse ${quoted}: invalid URL escape "%${escape[1]}"`;
  return hostProblem(quoted, parts?.[2] ?? '');
}

function hostProblem(quoted: string, authority: string): string | undefined {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const invalid = /[ "<>\\^`{|}]/.exec(host)?.[0];
  if (invalid !== undefined) return `parse ${quoted}: invalid character ${JSON.stringify(invalid)} in host name`;
  const port = /^(?:\[[^\]]*\]|[^:]*)(:.*)?$/.exec(host)?.[1] ?? '';
  if (/^(?::\d*)?$/.test(port)) return undefined;
  return `parse ${quoted}: invalid port ${JSON.stringify(port)} after host`;
}

function parse(text: string): Url {
  const problem = requestUriProblem(text);
  const parts = absolute.exec(text);
  if (problem === undefined && parts !== null) return new Url(text, parts);
  throw new CelError(`URL parse error during conversion from string: ${problem}`);
}

function query({ query: text }: Url): CelValue {
  const result: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [key, value] of new URLSearchParams(text)) (result[key] ??= []).push(value);
  return result;
}

/** URLs. */
export const urlLibrary = functionTable([
  ['url', 'string_to_url', '(string) kubernetes.URL', parse],
  ['isURL', 'is_url_string', '(string) bool', (text: string) => requestUriProblem(text) === undefined],
  ['getScheme', 'url_get_scheme', 'kubernetes.URL.() string', ({ scheme }: Url) => scheme],
  ['getHost', 'url_get_host', 'kubernetes.URL.() string', ({ host }: Url) => host],
  ['getHostname', 'url_get_hostname', 'kubernetes.URL.() string', ({ hostname }: Url) => hostname],
  ['getPort', 'url_get_port', 'kubernetes.URL.() string', ({ port }: Url) => port],
  ['getEscapedPath', 'url_get_escaped_path', 'kubernetes.URL.() string', ({ path }: Url) => path],
  ['getQuery', 'url_get_query', 'kubernetes.URL.() map(string, list(string))', query],
]);
