import type { User } from '@kubernode/api';
import { BoundedMap } from '@kubernode/machinery';
import { madeOf, type Text } from '../component-config/live-text.ts';
import type { Credentials } from '../seams.ts';
import type { RequestAuthenticator } from './authenticator.ts';
import { certificateUser } from './certificate.ts';
import { authoritiesOf, isSignedBy } from './client-certificate.ts';
import { authenticated } from './groups.ts';
import { headerValues, unescapedKey } from './header-values.ts';

/** `--requestheader-*`: which proxies are believed, and where they say who asks. */
export interface RequestHeaderOptions {
  /** PEM. */
  readonly clientCa: Text;
  /** Common names of proxies; all that the authority signed where it is empty. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** How many users of proxies are remembered. */
const rememberedMax = 10_000;

/** Believes what a proxy says in headers, where its client certificate is one of the proxies' (front proxies). */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): RequestAuthenticator {
  const lower = (names: readonly string[]) => names.map((name) => name.trim().toLowerCase());
  const headers = {
    names: lower(options.usernameHeaders),
    uids: lower(options.uidHeaders),
    groups: lower(options.groupHeaders),
    extras: lower(options.extraHeaderPrefixes),
  };
  const trust = madeOf(options.clientCa, (pem) => ({
    roots: authoritiesOf(pem),
    refusals: new WeakMap<Uint8Array, Error | 'trusted'>(),
  }));
  const users = new BoundedMap<string, User>(rememberedMax);
  return (credentials) => {
    const { clientCertificate } = credentials;
    if (!clientCertificate) return undefined;
    const { roots, refusals } = trust();
    let verdict = refusals.get(clientCertificate);
    if (!verdict) refusals.set(clientCertificate, (verdict = judge(credentials, roots, options.allowedNames)));
    if (verdict !== 'trusted') throw verdict;
    const user = userIn(credentials, headers);
    if (!user) return undefined;
    // The same user object for the same headers: decisions are cached by it.
    const key = JSON.stringify(user);
    const known = users.get(key);
    if (known) return known;
    const fresh = authenticated(user);
    users.set(key, fresh);
    return fresh;
  };
}

function judge(
  credentials: Credentials,
  roots: Parameters<typeof isSignedBy>[1],
  allowedNames: readonly string[],
): Error | 'trusted' {
  if (!isSignedBy(credentials, roots)) return new Error('x509: certificate signed by unknown authority');
  const name = certificateUser(credentials.clientCertificate!)?.name ?? '';
  if (allowedNames.length === 0 || allowedNames.includes(name)) return 'trusted';
  return new Error(`x509: subject with cn=${name} is not in the allowed list`);
}

interface HeaderNames {
  readonly names: readonly string[];
  readonly uids: readonly string[];
  readonly groups: readonly string[];
  readonly extras: readonly string[];
}

function userIn(credentials: Credentials, { names, uids, groups, extras }: HeaderNames): User | undefined {
  const firstOf = (headers: readonly string[]) =>
    headers.map((header) => headerValues(credentials, header)[0] ?? '').find((value) => value !== '') ?? '';
  const name = firstOf(names);
  if (name === '') return undefined;
  const uid = firstOf(uids);
  const extra = new Map<string, string[]>();
  for (const prefix of extras) {
    for (const header of Object.keys(credentials.headers)) {
      if (!header.startsWith(prefix)) continue;
      const key = unescapedKey(header.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...headerValues(credentials, header)]);
    }
  }
  return {
    name,
    ...(uid && { uid }),
    groups: groups.flatMap((header) => headerValues(credentials, header)).filter((group) => group !== ''),
    ...(extra.size > 0 && { extra: Object.fromEntries(extra) }),
  };
}
