import { join } from 'node:path';
import { type ContainerConfig, decodeMessage, encodeMessage } from '@kubernode/api/cri';
import { readJson, writeJson } from '../host/files.ts';
import type { ProcessIdentity } from '../host/processes.ts';
import type { ContainerUser } from './user.ts';

/** created: prepared, no process; starting: a process may exist; running; exited: its code is known. */
export type ContainerLife = 'created' | 'starting' | 'running' | 'exited';

/** What is known of a container, kept on disk. */
export interface ContainerRecord {
  readonly id: string;
  readonly sandboxId: string;
  /** Its `linux.resources` follow updates. */
  config: ContainerConfig;
  readonly imageId: string;
  /** The image's digest reference where it has one, else its identity. */
  readonly imageRef: string;
  readonly imageName: string;
  readonly user: ContainerUser;
  readonly cgroupsPath: string;
  /** Absolute; '' where no log was asked for. */
  readonly logPath: string;
  /** The signal's number that asks the process to end. */
  readonly stopSignal: number;
  readonly createdAtMs: number;
  life: ContainerLife;
  process?: ProcessIdentity | undefined;
  startedAtMs: number;
  finishedAtMs: number;
  exitCode: number;
  reason: string;
  message: string;
  /** Nothing of the container but its record and its files is left. */
  cleaned: boolean;
}

type Saved = Omit<ContainerRecord, 'config'> & { readonly config: string };

export async function saveContainer(folder: string, record: ContainerRecord): Promise<void> {
  const config = encodeMessage('ContainerConfig', record.config).toString('base64');
  await writeJson(join(folder, 'container.json'), { ...record, config } satisfies Saved);
}

export async function readContainer(folder: string): Promise<ContainerRecord | undefined> {
  const saved = await readJson<Saved>(join(folder, 'container.json'));
  return saved && { ...saved, config: decodeMessage('ContainerConfig', Buffer.from(saved.config, 'base64')) };
}
