import type { User } from '@kubernode/api';

type Headers = Record<string, string | readonly string[]>;

/** As this server itself; the front-proxy certificate vouches for the name. */
export const aggregator: User = { name: 'system:kube-aggregator', groups: ['system:masters'] };

/** Who asks, as an extension server reads it of a front proxy whose certificate it trusts. */
export function authProxyHeaders({ name, uid, groups, extra = {} }: User): Headers {
  const headers: Headers = { 'x-remote-user': name };
  if (uid) headers['x-remote-uid'] = uid;
  if (groups.length > 0) headers['x-remote-group'] = groups;
  for (const [key, values] of Object.entries(extra)) headers[`x-remote-extra-${escaped(key)}`] = values;
  return headers;
}

/** A key as part of a header's name: what may not be there is percent-encoded (client-go: headerKeyEscape). */
function escaped(key: string): string {
  return [...Buffer.from(key.toLowerCase())]
    .map((byte) => String.fromCharCode(byte))
    .map((char) => (/[a-z0-9!#$&'*+\-.^_`|~]/.test(char) ? char : `%${hex(char)}`))
    .join('');
}

const hex = (char: string) => char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
