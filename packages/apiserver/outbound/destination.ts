import { createHash } from 'node:crypto';

/** A webhook's `clientConfig.service` and an APIService's `spec.service`. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  /** Default 443. */
  readonly port?: number | undefined;
  readonly path?: string | undefined;
}

/** `clientConfig` of webhooks, of conversions, of audit sinks: a service or an URL. */
export interface ClientConfig {
  readonly url?: string | undefined;
  readonly service?: ServiceReference | undefined;
  /** Base64 of PEM, as the API carries bytes; without it the system's roots are trusted. */
  readonly caBundle?: string | undefined;
}

/** What a server outside is shown, so that it knows who asks. */
export interface Credentials {
  /** PEM. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly token?: string | undefined;
  /** Read again once a minute. */
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** Trust in the other side, beyond its address. */
export interface Trust {
  /** PEM; the system's roots where it is undefined. */
  readonly ca?: string | undefined;
  /** The name that its certificate must have; default: the host. */
  readonly serverName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A server outside and how to speak with it: made once for a configuration, used for many calls. */
export interface Destination {
  readonly scheme: 'https' | 'http';
  /** `host:port` as the `Host` header and errors have it. */
  readonly authority: string;
  /** Of the configuration, before what a call adds; '' or `/validate`. */
  readonly path: string;
  /** Of the configuration's URL, without its `?`. */
  readonly query: string;
  /** Where to connect to now: asked at each call, for services move. Throws StatusError for a service that has none. */
  readonly address: () => Address;
  readonly trust: Trust;
  readonly credentials: Credentials;
  /** Destinations with the same key share their connections. */
  readonly key: string;
}

/** Fills in the key. */
export function destination(parts: Omit<Destination, 'key'>): Destination {
  const { trust, credentials, scheme } = parts;
  const key = createHash('sha256')
    .update(JSON.stringify([scheme, trust.ca, trust.serverName, trust.insecureSkipTlsVerify]))
    .update(JSON.stringify([credentials.certificate, credentials.key]))
    .digest('base64');
  return { ...parts, key };
}

/** Host and port of a URL; undefined for none. */
export function addressOf(url: string | undefined): Address | undefined {
  if (url === undefined) return undefined;
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/** Of an absolute http or https URL. Throws with what was expected. */
export function urlDestination(url: string, trust: Trust, credentials: Credentials = {}): Destination {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
    throw new Error(`URL ${JSON.stringify(url)}: expected https://host[:port]/path`);
  }
  const { pathname, search, host } = parsed;
  const scheme = parsed.protocol === 'https:' ? 'https' : 'http';
  const address = addressOf(url)!;
  return destination({
    scheme,
    authority: host,
    path: pathname === '/' && !/^https?:\/\/[^/]+\//.test(url) ? '' : pathname,
    query: search.slice(1),
    address: () => address,
    trust,
    credentials,
  });
}
