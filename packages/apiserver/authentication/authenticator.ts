import { StatusError, type User } from '@kubernode/api';
import type { Clock } from '@kubernode/machinery';
import type { Authenticator, Credentials } from '../seams.ts';
import { certificateEndMs, certificateUser } from './certificate.ts';
import { anonymous, authenticated } from './groups.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';

export interface AuthenticatorOptions {
  readonly clock: Clock;
  readonly serviceAccountTokens: ServiceAccountTokens;
  /** `--api-audiences`: a service account's token must be meant for one of them. */
  readonly apiAudiences: readonly string[];
  /** Of `--token-auth-file`. */
  readonly tokens?: ReadonlyMap<string, User> | undefined;
  /** `--anonymous-auth`. */
  readonly anonymous?: boolean | undefined;
}

/** What a token proved: who, and for which of the wanted audiences. */
export interface TokenIdentity {
  readonly user: User;
  readonly audiences: readonly string[];
}

export interface Authentication {
  readonly authenticate: Authenticator;
  /** For TokenReview. Throws an Error that says what is wrong with the token. */
  identify(token: string, audiences: readonly string[]): TokenIdentity;
}

/** Client certificate, then bearer token, then nobody: the first that is there decides (kube-apiserver's order). */
export function createAuthentication(options: AuthenticatorOptions): Authentication {
  const { apiAudiences } = options;
  const certificates = new WeakMap<Uint8Array, { readonly user: User; readonly endMs: number }>();

  const byCertificate = (certificate: Uint8Array): User => {
    let known = certificates.get(certificate);
    if (!known) {
      known = { user: authenticated(certificateUser(certificate)), endMs: certificateEndMs(certificate) };
      certificates.set(certificate, known);
    }
    // TLS checked the time when the connection began; connections live long.
    if (options.clock.now() > known.endMs) throw unauthorized();
    return known.user;
  };

  const identify = (token: string, audiences: readonly string[]): TokenIdentity => {
    const user = options.tokens?.get(token);
    if (user) return { user, audiences: audiences.filter((audience) => apiAudiences.includes(audience)) };
    if (!options.serviceAccountTokens.isOurs(token)) throw new Error('invalid bearer token');
    const verified = options.serviceAccountTokens.verify(token);
    const meant = audiences.filter((audience) => verified.audiences.includes(audience));
    if (meant.length === 0)
      throw new Error(
        `token audiences ${quoted(verified.audiences)} is invalid for the target audiences ${quoted(audiences)}`,
      );
    return { user: verified.user, audiences: meant };
  };

  const authenticate = (credentials: Credentials): User => {
    const token = bearerToken(credentials);
    try {
      if (credentials.clientCertificate) return byCertificate(credentials.clientCertificate);
      if (token) return identify(token, apiAudiences).user;
    } catch {
      throw unauthorized();
    }
    if (credentials.clientCertificateInvalid || options.anonymous === false) throw unauthorized();
    return anonymous;
  };

  return { authenticate, identify };
}

const unauthorized = (): StatusError => StatusError.of('Unauthorized', 'Unauthorized');

const quoted = (values: readonly string[]): string => `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;

const webSocketTokenPrefix = 'base64url.bearer.authorization.k8s.io.';

/** Of the Authorization header, or of the protocol list that browsers can set on a WebSocket; '' where there is none. */
function bearerToken({ headers }: Credentials): string {
  const authorization = first(headers['authorization']).trim();
  const [scheme = '', token = ''] = authorization.split(' ', 2);
  if (scheme.toLowerCase() === 'bearer' && token) return token;
  const protocols = first(headers['sec-websocket-protocol']);
  if (!protocols.includes(webSocketTokenPrefix)) return '';
  const encoded = protocols.split(',').map((protocol) => protocol.trim());
  const found = encoded.find((protocol) => protocol.startsWith(webSocketTokenPrefix)) ?? '';
  return Buffer.from(found.slice(webSocketTokenPrefix.length), 'base64url').toString('utf8');
}

const first = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : (value?.join(', ') ?? '');
