import { StatusError, type User } from '@kubernode/api';
import type { Attributes } from '../seams.ts';

/** The 403 of a request that is not authorized, in the words that clients know (apiserver, responsewriters.Forbidden). */
export function forbidden(user: User, attributes: Attributes, reason = ''): StatusError {
  const { group, resource, name } = attributes;
  const text = sanitized(cannot(user, attributes)) + (reason ? `: ${reason}` : '');
  if (resource === '') return StatusError.of('Forbidden', `forbidden: ${text}`, {});
  return StatusError.forbidden({ group, plural: resource }, name, text);
}

function cannot(user: User, { verb, group, resource, subresource, namespace, path }: Attributes): string {
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (resource === '') return `${who} path ${JSON.stringify(path)}`;
  const what = `${who} resource "${subresource ? `${resource}/${subresource}` : resource}" in API group "${group}"`;
  return namespace ? `${what} in the namespace "${namespace}"` : `${what} at the cluster scope`;
}

/** Nothing that a browser could take for markup; quotes are fine. */
export const sanitized = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
