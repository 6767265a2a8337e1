import { createHash } from 'node:crypto';
import type { Clock } from '@kubernode/machinery';
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

interface Remembered {
  readonly found: TokenIdentity | undefined;
  readonly untilMs: number;
}

const rememberedMax = 10_000;

/**
 * Remembers what others said of a token, and asks once for all that show the same token at once. What is remembered is
 * answered at once, with the same user object.
 */
export function cachedTokens(options: TokenCacheOptions, authenticator: TokenAuthenticator): TokenAuthenticator {
  const { clock, successMs, failureMs } = options;
  const remembered = new Map<string, Remembered>();
  const asking = new Map<string, Promise<TokenIdentity | undefined>>();
  const remember = (key: string, found: TokenIdentity | undefined): TokenIdentity | undefined => {
    const forMs = found ? successMs : failureMs;
    if (forMs <= 0) return found;
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(key, { found, untilMs: clock.now() + forMs });
    return found;
  };
  return {
    identify(token, audiences) {
      const key = keyOf(token, audiences);
      const known = remembered.get(key);
      if (known && clock.now() < known.untilMs) return known.found;
      if (known) remembered.delete(key);
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
