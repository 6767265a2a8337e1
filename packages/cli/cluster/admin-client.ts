import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { createClient, kubeconfigTransport, type Client } from '@kubernode/client';
import type { DataDir } from './data-dir.ts';

/** A client of a running cluster over HTTPS, as its administrator. */
export function adminClient(dataDir: DataDir): { readonly client: Client; readonly close: () => Promise<void> } {
  const transport = kubeconfigTransport(load(readFileSync(dataDir.kubeconfig, 'utf8')) as never);
  return { client: createClient(transport), close: () => transport.close() };
}
