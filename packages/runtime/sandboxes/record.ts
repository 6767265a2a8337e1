import { join } from 'node:path';
import { decodeMessage, encodeMessage, type PodSandboxConfig } from '@kubernode/api/cri';
import { readJson, writeJson } from '../host/files.ts';
import type { ProcessIdentity } from '../host/processes.ts';
import type { PinnedNamespace } from './namespaces.ts';

/** creating: a crash now leaves something to undo; ready: all namespaces stand; notReady: stopped, or found broken. */
export type SandboxState = 'creating' | 'ready' | 'notReady';

/** What is known of a sandbox, kept on disk. */
export interface SandboxRecord {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly runtimeHandler: string;
  readonly createdAtMs: number;
  readonly namespaces: readonly PinnedNamespace[];
  readonly hostname: string;
  state: SandboxState;
  ips: readonly string[];
  /** The process that holds a shared process namespace. */
  pause?: ProcessIdentity | undefined;
  /** Outermost cgroup that did not exist before; it goes with the sandbox, if empty. */
  cgroupMade?: string | undefined;
}

type Saved = Omit<SandboxRecord, 'config'> & { readonly config: string };

export async function saveSandbox(folder: string, record: SandboxRecord): Promise<void> {
  const config = encodeMessage('PodSandboxConfig', record.config).toString('base64');
  await writeJson(join(folder, 'sandbox.json'), { ...record, config } satisfies Saved);
}

export async function readSandbox(folder: string): Promise<SandboxRecord | undefined> {
  const saved = await readJson<Saved>(join(folder, 'sandbox.json'));
  return saved && { ...saved, config: decodeMessage('PodSandboxConfig', Buffer.from(saved.config, 'base64')) };
}
