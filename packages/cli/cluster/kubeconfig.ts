import { dump, load } from 'js-yaml';
import { UserError } from '../terminal/user-error.ts';

interface Named {
  readonly name: string;
}

interface Kubeconfig {
  clusters?: Named[];
  users?: Named[];
  contexts?: Named[];
  'current-context'?: string;
}

/** `base` with the clusters, users and contexts of `added` put in or replaced by name, and its current context. */
export function mergeKubeconfigs(base: string, added: string): string {
  const left = parse(base, 'the kubeconfig that is there');
  const right = parse(added, 'the new kubeconfig');
  const merged = {
    ...left,
    clusters: byName(left.clusters, right.clusters),
    users: byName(left.users, right.users),
    contexts: byName(left.contexts, right.contexts),
    'current-context': right['current-context'],
  };
  return dump({ apiVersion: 'v1', kind: 'Config', ...merged });
}

function parse(text: string, what: string): Kubeconfig {
  let parsed: unknown;
  try {
    parsed = load(text);
  } catch (error) {
    throw new UserError(`Cannot read ${what}: ${(error as Error).message}`, 'Mend or move the file, then try again.', {
      cause: error,
    });
  }
  if (parsed === undefined || parsed === null) return {};
  if (typeof parsed !== 'object') throw new UserError(`Cannot read ${what}: it is not a mapping.`);
  return parsed as Kubeconfig;
}

function byName(left: readonly Named[] = [], right: readonly Named[] = []): Named[] {
  const names = new Set(right.map(({ name }) => name));
  return [...left.filter(({ name }) => !names.has(name)), ...right];
}
