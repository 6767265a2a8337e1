import type { Secret } from '@kubernode/api/core/v1';
import type { CriInit } from '@kubernode/api/cri';
import { registryOf } from './image-name.ts';

interface AuthEntry {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

/**
 * The credentials for an image out of pull secrets of both types, the longest matching entry first; a secret that
 * cannot be read is passed over, as upstream does.
 */
export function credentialsFor(image: string, secrets: readonly Secret[]): readonly CriInit<'AuthConfig'>[] {
  const host = registryOf(image);
  const path = image.startsWith(`${host}/`) ? image : `${host}/${image}`;
  const matches = secrets
    .flatMap((secret) => Object.entries(authEntries(secret)))
    .map(([key, entry]) => ({ key: registryKey(key), entry }))
    .filter(({ key }) => matchesKey(path, key))
    .sort((a, b) => b.key.length - a.key.length);
  return matches.map(({ entry }) => authConfig(entry, host));
}

function authEntries({ type, data = {} }: Secret): Readonly<Record<string, AuthEntry>> {
  const read = (key: string): unknown => JSON.parse(Buffer.from(data[key] ?? '', 'base64').toString('utf8'));
  try {
    if (type === 'kubernetes.io/dockerconfigjson') {
      return (read('.dockerconfigjson') as { auths?: Record<string, AuthEntry> }).auths ?? {};
    }
    if (type === 'kubernetes.io/dockercfg') return read('.dockercfg') as Record<string, AuthEntry>;
  } catch {
    return {};
  }
  return {};
}

/** `https://index.docker.io/v1/` and `index.docker.io` are the same registry. */
function registryKey(key: string): string {
  return key.replace(/^https?:\/\//, '').replace(/\/(v[12]\/?)?$/, '');
}

/** Each label of the host may be a `*`; the path is a prefix. */
function matchesKey(path: string, key: string): boolean {
  const [keyHost = '', ...keyPath] = key.split('/');
  const [host = '', ...rest] = path.split('/');
  const keyLabels = keyHost.split('.');
  const labels = host.split('.');
  const hostFits =
    keyLabels.length === labels.length && keyLabels.every((label, index) => label === '*' || label === labels[index]);
  return hostFits && rest.join('/').startsWith(keyPath.join('/'));
}

function authConfig(entry: AuthEntry, serverAddress: string): CriInit<'AuthConfig'> {
  const decoded = entry.auth ? Buffer.from(entry.auth, 'base64').toString('utf8') : '';
  const colon = decoded.indexOf(':');
  return {
    username: entry.username ?? (colon < 0 ? '' : decoded.slice(0, colon)),
    password: entry.password ?? (colon < 0 ? '' : decoded.slice(colon + 1)),
    identityToken: entry.identitytoken ?? '',
    registryToken: entry.registrytoken ?? '',
    serverAddress,
  };
}
