import type { Cri } from '@kubernode/api/cri';
import type { Clock, Logger } from '@kubernode/machinery';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface LogRotationOptions {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly log: Logger;
  readonly bytesMax: number;
  /** The current one included. */
  readonly filesMax: number;
}

/** Rotates the logs of running containers that have grown too large: rename, then have the runtime open a new file. */
export async function rotateLogs({ cri, clock, log, bytesMax, filesMax }: LogRotationOptions): Promise<void> {
  const { containers } = await cri.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } });
  for (const { id } of containers) {
    try {
      const path = (await cri.containerStatus({ containerId: id })).status?.logPath;
      if (!path || ((await stat(path).catch(() => undefined))?.size ?? 0) < bytesMax) continue;
      const stamp = new Date(clock.now()).toISOString().replace(/[-:]/g, '').slice(0, 15).replace('T', '-');
      const rotated = `${path}.${stamp}`;
      await rename(path, rotated);
      try {
        await cri.reopenContainerLog({ containerId: id });
      } catch (error) {
        // The container goes on writing to the file it has: it gets its name back.
        await rename(rotated, path);
        throw error;
      }
      await removeOldest(path, filesMax);
    } catch (error) {
      log.warn('log not rotated', { containerId: id, error: String(error) });
    }
  }
}

async function removeOldest(path: string, filesMax: number): Promise<void> {
  const dir = dirname(path);
  const rotated = (await readdir(dir)).filter((name) => name.startsWith(`${basename(path)}.`)).sort();
  for (const name of rotated.slice(0, Math.max(0, rotated.length - (filesMax - 1)))) await rm(join(dir, name));
}
