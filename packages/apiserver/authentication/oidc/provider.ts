import { sleep, type Clock, type Logger } from '@kubernode/machinery';
import type { Outbound } from '../../outbound/outbound.ts';
import { wholeBody } from '../../outbound/whole-body.ts';
import { urlDestination, type Trust } from '../../outbound/destination.ts';
import { keysOfSet, type PublishedKey } from './signatures.ts';

export interface ProviderOptions {
  readonly issuer: string;
  /** Where its configuration is, when not below the issuer. */
  readonly discoveryUrl?: string | undefined;
  /** PEM; the system's roots where it is undefined. */
  readonly ca?: string | undefined;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log?: Logger | undefined;
  /** After each fetch of its keys. */
  readonly onKeys?: ((text: string | undefined) => void) | undefined;
}

const retryMs = 10_000;
const timeoutMs = 30_000;
const bytesMax = 4 * 1024 * 1024;

/** An OpenID provider: found by its discovery document, tried every ten seconds until it is there; then its keys. */
export class Provider {
  readonly #options: ProviderOptions;
  readonly #trust: Trust;
  #jwksUri = '';
  #keys: readonly PublishedKey[] = [];
  #fetching: Promise<readonly PublishedKey[]> | undefined;
  #problem: Error;

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.#trust = { ca: options.ca };
    this.#problem = new Error(`oidc: authenticator for issuer ${JSON.stringify(options.issuer)} is not initialized`);
    void this.#discover();
  }

  /** Why it is not ready; undefined once it is. */
  get problem(): Error | undefined {
    return this.#jwksUri ? undefined : this.#problem;
  }

  /** Keys that were fetched before, of that identifier; all where it is ''. */
  known(keyId: string): readonly PublishedKey[] {
    return keyId === '' ? this.#keys : this.#keys.filter((key) => key.keyId === keyId);
  }

  /** Fetches the keys anew; one fetch serves all that wait for it. Rejects with an Error. */
  refresh(): Promise<readonly PublishedKey[]> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  /** A document of somebody whom the provider names, such as a distributed claim. */
  get(url: string, accessToken = ''): Promise<string> {
    return getText(this.#options, url, this.#trust, accessToken);
  }

  async #fetch(): Promise<readonly PublishedKey[]> {
    try {
      const text = await this.get(this.#jwksUri);
      this.#keys = keysOfSet(text);
      this.#options.onKeys?.(text);
    } catch (error) {
      this.#options.onKeys?.(undefined);
      throw new Error(`fetching keys ${(error as Error).message}`, { cause: error });
    }
    return this.#keys;
  }

  async #discover(): Promise<void> {
    const { issuer, clock, signal, log } = this.#options;
    while (!signal.aborted) {
      try {
        this.#jwksUri = await this.#publishedKeysUri();
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#problem = error as Error;
        log?.error('an OpenID provider cannot be used yet', { issuer, error: String(error) });
      }
      await sleep(clock, retryMs, signal).catch(() => {});
    }
  }

  async #publishedKeysUri(): Promise<string> {
    const { issuer, discoveryUrl } = this.#options;
    const url = discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const found = JSON.parse(await this.get(url)) as { readonly issuer?: string; readonly jwks_uri?: string };
    if (found.issuer !== issuer) {
      const [wanted, came] = [JSON.stringify(issuer), JSON.stringify(found.issuer ?? '')];
      throw new Error(`oidc: issuer did not match the issuer returned by provider, expected ${wanted} got ${came}`);
    }
    if (!found.jwks_uri) throw new Error('provider did not return JWKS URL');
    return found.jwks_uri;
  }
}

async function getText(
  { outbound, clock, signal }: ProviderOptions,
  url: string,
  trust: Trust,
  accessToken: string,
): Promise<string> {
  const to = urlDestination(url, trust);
  const tooLong = new AbortController();
  const cancel = clock.after(timeoutMs, () => tooLong.abort());
  const headers = { accept: 'application/json', ...(accessToken && { authorization: `Bearer ${accessToken}` }) };
  const path = `${to.path || '/'}${to.query && `?${to.query}`}`;
  try {
    const answer = await outbound.stream(to, {
      method: 'GET',
      path,
      headers,
      signal: AbortSignal.any([signal, tooLong.signal]),
    });
    const text = (await wholeBody(answer.body, bytesMax)).toString('utf8');
    if (answer.status < 200 || answer.status > 226) throw new Error(`${answer.status}: ${text.slice(0, 1000)}`);
    return text;
  } finally {
    cancel();
  }
}
