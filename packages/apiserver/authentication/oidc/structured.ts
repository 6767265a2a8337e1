import type { IsEnabled } from '@kubernode/api';
import { sleep } from '@kubernode/machinery';
import { followFile, NotYet } from '../../component-config/follow-file.ts';
import { tokenUnion, type TokenAuthenticator } from '../outcome.ts';
import { readAuthenticationConfiguration, type AuthenticationConfiguration } from './configuration.ts';
import { jwtIssuer, type JwtAuthenticatorOptions, type JwtIssuer } from './jwt-authenticator.ts';
import { validateAuthenticationConfiguration } from './validate.ts';

export interface StructuredOptions extends Omit<JwtAuthenticatorOptions, 'signal'> {
  readonly configuration: AuthenticationConfiguration;
  /** The file that it came from; it is followed. */
  readonly file?: { readonly path: string; readonly text: string } | undefined;
  readonly disallowedIssuers: readonly string[];
  readonly isEnabled: IsEnabled;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

interface Current {
  readonly issuers: readonly JwtIssuer[];
  readonly union: TokenAuthenticator;
  readonly end: AbortController;
}

/** How often a changed configuration is asked whether its issuers can be reached; it takes over when they all can. */
const healthRetryMs = 10_000;
const healthTriesMax = 6;
/** A changed configuration is in force while requests of the old one end. */
const overlapMs = 60_000;

/**
 * JWT authenticators by configuration (KEP-3331), several issuers at once. A changed file takes over once all of its issuers
 * have been found; one that cannot be used leaves the old one in force. Throws where the first configuration is wrong.
 */
export function structuredAuthentication(options: StructuredOptions): TokenAuthenticator {
  const { signal, clock } = options;
  let current = start(options.configuration, options);
  signal.addEventListener('abort', () => current.end.abort(), { once: true });
  if (options.file) {
    followFile({
      ...options.file,
      clock,
      signal,
      log: options.log,
      onAttempt: options.metrics && ((isGood) => options.metrics?.reloaded(isGood)),
      async onChange(text) {
        const next = start(readAuthenticationConfiguration(text), options);
        await healthy(next, options).catch((error: Error) => {
          next.end.abort();
          throw new NotYet(error.message, { cause: error });
        });
        const previous = current;
        current = next;
        clock.after(overlapMs, () => previous.end.abort());
      },
    });
  }
  return { identify: (token, audiences) => current.union.identify(token, audiences) };
}

function start(configuration: AuthenticationConfiguration, options: StructuredOptions): Current {
  const end = new AbortController();
  const issuers = validateAuthenticationConfiguration(configuration, options).map((compiled) =>
    jwtIssuer(compiled, { ...options, signal: end.signal }),
  );
  return { issuers, union: tokenUnion(issuers, true), end };
}

async function healthy({ issuers }: Current, { clock, signal }: StructuredOptions): Promise<void> {
  for (let tries = 0; ; tries++) {
    // The first look is given a moment: discovery has only begun.
    await sleep(clock, tries === 0 ? 100 : healthRetryMs, signal);
    const problem = issuers.map((issuer) => issuer.problem()).find((found) => found !== undefined);
    if (!problem) return;
    if (tries >= healthTriesMax) throw problem;
  }
}
