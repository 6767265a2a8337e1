import { createHash } from 'node:crypto';
import { ExpiringMap, type Clock } from '@kubernode/machinery';
import type { TokenAuthenticator, TokenIdentity } from './outcome.ts';

/** Not the token itself: whoever asks chooses its length, and it is a secret. */
const keyOf = (token: string, audiences: readonly string[]): string =>
  createHash('sha256')
    .update(`${token}\n${audiences.join('\n')}`)
    .digest('base64');

export interface TokenCacheOptions {
  readonly clock: Clock;
  readonly successMs: number;
  /** How long it is remembered that a token is not known; errors are not remembered. */
  readonly failureMs: number;
}

const rememberedMax = 10_000;

/**
 * Remembers what others said of a token, and asks once for all that show the same token at once. What is remembered is
 * answered at once, with the same user object.
 */
export function cachedTokens(options: TokenCacheOptions, authenticator: TokenAuthenticator): TokenAuthenticator {
  const { clock, successMs, failureMs } = options;
  const remembered = new ExpiringMap<string, { readonly found: TokenIdentity | undefined }>(clock, rememberedMax);
  const asking = new Map<string, Promise<TokenIdentity | undefined>>();
  const remember = (key: string, found: TokenIdentity | undefined): TokenIdentity | undefined => {
    remembered.set(key, { found }, found ? successMs : failureMs);
    return found;
  };
  return {
    identify(token, audiences) {
      const key = keyOf(token, audiences);
      const known = remembered.get(key);
      if (known) return known.found;
      const underWay = asking.get(key);
      if (underWay) return underWay;
      const found = authenticator.identify(token, audiences);
      // What is answered at once needs no memory.
      if (!(found instanceof Promise)) return found;
      const asked = found.then((identity) => remember(key, identity)).finally(() => asking.delete(key));
      asking.set(key, asked);
      return asked;
    },
  };
}
