import { type AuthConfig, CriError } from '@kubernode/api/cri';

export interface RegistryCredentials {
  readonly username?: string;
  readonly password?: string;
  /** base64 of `username:password`. */
  readonly auth?: string;
  /** An OAuth2 refresh token. */
  readonly identityToken?: string;
  /** A bearer token that is sent as it is. */
  readonly registryToken?: string;
}

interface AuthOptions {
  readonly credentials?: RegistryCredentials | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Answers a registry's `WWW-Authenticate` challenge with the value of `Authorization` (distribution's token protocol). */
export async function authorize(challenge: string, repository: string, options: AuthOptions): Promise<string> {
  const { credentials = {} } = options;
  if (credentials.registryToken) return `Bearer ${credentials.registryToken}`;
  const basic = basicOf(credentials);
  const { scheme, parameters } = parseChallenge(challenge);
  if (scheme === 'basic') {
    if (!basic) throw new CriError('Unauthenticated', `registry of ${repository} wants a user name and a password`);
    return `Basic ${basic}`;
  }
  const { realm, service, scope = `repository:${repository}:pull` } = parameters;
  if (scheme !== 'bearer' || !realm) {
    throw new CriError('Unauthenticated', `registry of ${repository} asks for authentication "${challenge}"`);
  }
  const url = new URL(realm);
  if (service) url.searchParams.set('service', service);
  url.searchParams.set('scope', scope);
  return `Bearer ${await fetchToken(url, basic, options)}`;
}

async function fetchToken(url: URL, basic: string | undefined, options: AuthOptions): Promise<string> {
  const { identityToken } = options.credentials ?? {};
  const form = new URLSearchParams(url.searchParams);
  if (identityToken) {
    form.set('grant_type', 'refresh_token');
    form.set('refresh_token', identityToken);
    form.set('client_id', 'kubernode');
  }
  const { request } = await import('undici');
  const response = await request(identityToken ? new URL(url.pathname, url.origin) : url, {
    method: identityToken ? 'POST' : 'GET',
    headers: {
      ...(basic && !identityToken ? { authorization: `Basic ${basic}` } : {}),
      ...(identityToken ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    body: identityToken ? form.toString() : null,
    signal: options.signal ?? null,
  });
  if (response.statusCode !== 200) {
    await response.body.dump();
    const isRefused = response.statusCode === 401 || response.statusCode === 403;
    const why = isRefused ? ': it wants a user name and a password, or others than these' : '';
    throw new CriError('Unauthenticated', `token service ${url.host} answered ${response.statusCode}${why}`);
  }
  const answer = (await response.body.json()) as { token?: string; access_token?: string };
  const token = answer.token ?? answer.access_token;
  if (!token) throw new CriError('Unauthenticated', `token service ${url.host} answered without a token`);
  return token;
}

function basicOf(credentials: RegistryCredentials): string | undefined {
  if (credentials.auth) return credentials.auth;
  if (!credentials.username) return undefined;
  return Buffer.from(`${credentials.username}:${credentials.password ?? ''}`).toString('base64');
}

/** `Bearer realm="...",service="..."` (RFC 9110, section 11). */
function parseChallenge(challenge: string): { scheme: string; parameters: Record<string, string> } {
  const scheme = challenge.split(' ', 1)[0]?.toLowerCase() ?? '';
  const parameters: Record<string, string> = {};
  for (const [, key = '', quoted, plain] of challenge.slice(scheme.length).matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g)) {
    parameters[key.toLowerCase()] = quoted ?? plain ?? '';
  }
  return { scheme, parameters };
}

/** CRI's credentials: '' says that there is none. */
export function credentialsOf(auth: AuthConfig): RegistryCredentials {
  const { username, password, auth: basic, identityToken, registryToken } = auth;
  return { username, password, auth: basic, identityToken, registryToken };
}
