import { StatusError, type User } from '@kubernode/api';
import type { Authenticator, Credentials } from '../seams.ts';
import { certificateAuthenticator } from './client-certificate.ts';
import { anonymous } from './groups.ts';
import { aggregated, type Soon, type TokenAuthenticator, type TokenIdentity } from './outcome.ts';
import type { AuthenticationMetrics } from './metrics.ts';
import { offeredProtocols } from './websocket-token.ts';

/** One way to find out who asks: undefined where the request shows nothing of that kind; throws where it is wrong. */
export type RequestAuthenticator = (credentials: Credentials) => Soon<User | undefined>;

/** Who may come without credentials: nobody, everybody, or whoever asks for these paths. */
export type AnonymousAccess = boolean | readonly string[];

export interface AuthenticatorOptions {
  /** In their order, before certificates: front proxies. */
  readonly proxies?: readonly RequestAuthenticator[] | undefined;
  /** Of client certificates; undefined: their users are not asked for. */
  readonly certificates?: ReturnType<typeof certificateAuthenticator> | undefined;
  readonly tokens: TokenAuthenticator;
  /** `--api-audiences`: tokens must be meant for one of them. */
  readonly apiAudiences: readonly string[];
  readonly anonymous: AnonymousAccess;
  readonly metrics?: AuthenticationMetrics | undefined;
}

export interface Authentication {
  readonly authenticate: Authenticator;
  /** For TokenReview: undefined where nobody knows the token. Throws an Error that says what is wrong with it. */
  readonly identify: TokenAuthenticator['identify'];
}

/**
 * Front proxy, certificate, bearer token, nobody, in kube-apiserver's order: the first that is good decides. What is wrong
 * is refused with 401 unless something else is good; only without any credentials somebody is anonymous.
 */
export function createAuthentication(options: AuthenticatorOptions): Authentication {
  const { tokens, apiAudiences, metrics } = options;
  const byToken: RequestAuthenticator = (credentials) => {
    const token = bearerToken(credentials);
    if (!token) return undefined;
    const found = tokens.identify(token, apiAudiences);
    return found instanceof Promise ? found.then(userOrWrong) : userOrWrong(found);
  };
  const ways = [...(options.proxies ?? []), ...(options.certificates ? [options.certificates] : []), byToken];
  const authenticate = firstOf(ways, (credentials) => anonymousUser(options.anonymous, credentials));
  return { authenticate: metrics ? metrics.counted(authenticate) : authenticate, identify: tokens.identify };
}

function firstOf(ways: readonly RequestAuthenticator[], otherwise: (credentials: Credentials) => User): Authenticator {
  return (credentials) => {
    const errors: Error[] = [];
    const from = (at: number): Soon<User> => {
      for (let index = at; index < ways.length; index++) {
        let found: Soon<User | undefined>;
        try {
          found = ways[index]!(credentials);
        } catch (error) {
          errors.push(error as Error);
          continue;
        }
        if (found instanceof Promise) {
          const failed = (error: Error) => void errors.push(error);
          return found.catch(failed).then((user) => user || from(index + 1));
        }
        if (found) return found;
      }
      if (errors.length > 0) throw unauthorized(aggregated(errors));
      return otherwise(credentials);
    };
    return from(0);
  };
}

/** A token that nobody knows is wrong (apiserver, request/bearertoken). */
function userOrWrong(found: TokenIdentity | undefined): User {
  if (!found) throw new Error('invalid bearer token');
  return found.user;
}

function anonymousUser(access: AnonymousAccess, { path = '' }: Credentials): User {
  if (access === true || (access !== false && access.includes(path))) return anonymous;
  throw unauthorized();
}

const unauthorized = (cause?: Error): StatusError => {
  const error = StatusError.of('Unauthorized', 'Unauthorized');
  if (cause) error.cause = cause;
  return error;
};

const bearer = /^bearer ([^ ]+)/i;

/** Of the Authorization header, or of the protocol list that browsers can set on a WebSocket; '' where there is none. */
function bearerToken({ headers }: Credentials): string {
  const [, token] = bearer.exec(first(headers['authorization']).trim()) ?? [];
  if (token !== undefined) return token;
  if (first(headers['upgrade']).toLowerCase() !== 'websocket') return '';
  const { protocols, tokens } = offeredProtocols(first(headers['sec-websocket-protocol']));
  if (tokens.length === 0) return '';
  if (tokens.length > 1) throw new Error('multiple base64.bearer.authorization tokens specified');
  // A token is no protocol: the answer must have another one to choose.
  if (protocols.length === 0) throw new Error('missing additional subprotocol');
  return tokens[0]!;
}

const doubleSpace = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** What a client is told of a header that looks like a token and is none. */
export function authorizationWarning(headers: Credentials['headers']): string | undefined {
  const authorization = headers['authorization'];
  const isDoubled = typeof authorization === 'string' && authorization.charCodeAt(7) === 32;
  return isDoubled && /^bearer {2}/i.test(authorization) ? doubleSpace : undefined;
}

const first = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : (value?.join(', ') ?? '');
