import { readFile } from 'node:fs/promises';
import type { KubernetesObject } from '@kubernode/api';

/** What a fresh API server makes by itself, by the path of its collection (facts/bootstrap-1.37.json). */
export type BootstrapFacts = Readonly<Record<string, readonly KubernetesObject[]>>;

/** Read as a file, not imported: it is needed once, and not again while the server runs. */
export async function readBootstrapFacts(): Promise<BootstrapFacts> {
  const url = new URL(import.meta.resolve('@kubernode/api/facts/bootstrap-1.37.json'));
  return JSON.parse(await readFile(url, 'utf8')) as BootstrapFacts;
}

/** Who owns the fields of what the API server writes by itself. */
export const asServer = { fieldManager: 'kube-apiserver' } as const;
