import type { User } from '@kubernode/api';

const prefix = 'system:node:';

/** The node that a kubelet's user stands for, `name` being '' where it cannot be told; undefined for other users. */
export function nodeOf(user: User): { readonly name: string } | undefined {
  if (!user.name.startsWith(prefix) || !user.groups.includes('system:nodes')) return undefined;
  return { name: user.name.slice(prefix.length) };
}
