import type { KubernetesObject } from '@kubernode/api';
import { qualifiedName } from '@kubernode/machinery';

const standard: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** New finalizers of custom objects that others might use, too: only warned of. */
export function finalizerWarnings(object: KubernetesObject, old: KubernetesObject | undefined): string[] {
  const known = new Set(old?.metadata.finalizers);
  const added = [...new Set(object.metadata.finalizers)].filter((name) => !known.has(name)).toSorted();
  return added.flatMap((name) => [...qualifiedName(name), ...ambiguous(name)].map((why) => `${at(name)}: ${why}`));
}

const at = (name: string) => `metadata.finalizers: ${JSON.stringify(name)}`;

function ambiguous(name: string): string[] {
  if (name.includes('/') || standard.has(name)) return [];
  const path = name.includes('.') ? ' including a path (/)' : '';
  return [`prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`];
}
