import type { Command } from 'commander';
import { existingDataDir, type DataDir } from '../cluster/data-dir.ts';
import { addDataDirFlag } from '../cluster/server-flags.ts';
import { createLogger } from '../terminal/logger.ts';
import { createProgress } from '../terminal/progress.ts';
import { UserError } from '../terminal/user-error.ts';
import { stopProcesses } from './down.ts';

export function addReset(program: Command): void {
  addDataDirFlag(program.command('reset'))
    .description('stop the cluster and remove everything that it made: containers, networks, state')
    .action(async ({ dataDir: path }: { dataDir: string }) => {
      const dataDir = existingDataDir(path);
      const progress = createProgress(process.stderr);
      if (!dataDir) return progress.say(`There is no cluster in ${path}.`);
      if (process.getuid?.() !== 0)
        throw new UserError(
          'Removing containers and networks needs root.',
          `Run: sudo ./kubernode reset --data-dir ${path}`,
        );
      await stopProcesses(dataDir, (title, run) => progress.step(title, run));
      await progress.step('Removing containers and images', () => removeContainers(dataDir));
      const { removeNetwork } = await import('../cluster/node-traces.ts');
      await progress.step('Removing the network', () => removeNetwork(dataDir));
      await progress.step(`Removing ${dataDir.path}`, () => dataDir.remove());
    });
}

async function removeContainers(dataDir: DataDir): Promise<void> {
  const { resetRuntime } = await import('@kubernode/runtime');
  const log = createLogger('warn', (line) => void process.stderr.write(line));
  await resetRuntime({ root: dataDir.runtimeRoot, cgroupRoot: dataDir.cgroupRoot, log });
  const { removePodMounts } = await import('@kubernode/kubelet');
  await removePodMounts(dataDir.kubeletRoot);
}
