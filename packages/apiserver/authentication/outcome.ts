import type { User } from '@kubernode/api';
import { aggregateMessages } from '@kubernode/machinery';

/** A value now, or later: what is known locally is answered at once. */
export type Soon<T> = T | Promise<T>;

/** What a token proved: who, and for which of the wanted audiences. */
export interface TokenIdentity {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** One way to check bearer tokens. */
export interface TokenAuthenticator {
  /**
   * Undefined: not a token of this kind. Throws an Error that says what is wrong with one that is. The same token gives the
   * same user object while it is cached.
   */
  readonly identify: (token: string, audiences: readonly string[]) => Soon<TokenIdentity | undefined>;
}

/** Several errors as Go's errors.Aggregate prints them: one as it is, several in brackets, each once. */
export function aggregated(errors: readonly Error[]): Error {
  return errors.length === 1 ? errors[0]! : new Error(aggregateMessages(errors.map(({ message }) => message)));
}

/**
 * Asks one after the other until one knows the token. Errors count only when nobody knows it, unless `failsOnError`: then
 * the first error is the answer.
 */
export function tokenUnion(authenticators: readonly TokenAuthenticator[], failsOnError = false): TokenAuthenticator {
  return {
    identify(token, audiences) {
      const errors: Error[] = [];
      const failed = (error: unknown): undefined => {
        if (failsOnError) throw error;
        errors.push(error as Error);
      };
      const from = (at: number): Soon<TokenIdentity | undefined> => {
        for (let index = at; index < authenticators.length; index++) {
          let found: Soon<TokenIdentity | undefined>;
          try {
            found = authenticators[index]!.identify(token, audiences);
          } catch (error) {
            found = failed(error);
          }
          if (found instanceof Promise) return found.catch(failed).then((known) => known ?? from(index + 1));
          if (found) return found;
        }
        if (errors.length > 0) throw aggregated(errors);
        return undefined;
      };
      return from(0);
    },
  };
}

/** Tokens that say nothing of audiences are meant for this API server, and are not looked at for others. */
export function audienceAgnostic(own: readonly string[], authenticator: TokenAuthenticator): TokenAuthenticator {
  return {
    identify(token, wanted) {
      const audiences = own === wanted ? own : own.filter((audience) => wanted.includes(audience));
      if (audiences.length === 0) return undefined;
      const found = authenticator.identify(token, wanted);
      if (found instanceof Promise) return found.then((known) => known && { user: known.user, audiences });
      return found && { user: found.user, audiences };
    },
  };
}
