import type { Command } from 'commander';
import { existingDataDir } from '../cluster/data-dir.ts';
import { holderOf } from '../cluster/lock.ts';
import { addDataDirFlag } from '../cluster/server-flags.ts';

export function addStatus(program: Command): void {
  addDataDirFlag(program.command('status'))
    .description('say whether the cluster runs, and how it is')
    .action(async ({ dataDir: path }: { dataDir: string }) => {
      const dataDir = existingDataDir(path);
      const holder = dataDir && holderOf(dataDir, 'server');
      if (!dataDir || !holder) {
        console.log(dataDir ? `The cluster in ${path} is stopped.` : `There is no cluster in ${path}.`);
        process.exitCode = 1;
        return;
      }
      console.log(
        `The cluster in ${dataDir.path} runs (process ${holder.pid}, https://127.0.0.1:${dataDir.settings()?.securePort}).`,
      );
      const [{ Node, Pod }, { adminClient }] = await Promise.all([
        import('@kubernode/api/core/v1'),
        import('../cluster/admin-client.ts'),
      ]);
      const { client, close } = adminClient(dataDir);
      try {
        const [nodes, pods] = await Promise.all([client.list(Node), client.list(Pod)]);
        for (const { metadata, status } of nodes.items) {
          const ready = status.conditions?.find(({ type }) => type === 'Ready');
          console.log(
            `node ${metadata.name}: ${ready?.status === 'True' ? 'ready' : `not ready (${ready?.message ?? 'unknown'})`}`,
          );
        }
        const phases = Map.groupBy(pods.items, ({ status }) => status.phase ?? 'Unknown');
        console.log(`pods: ${[...phases].map(([phase, list]) => `${list.length} ${phase}`).join(', ') || 'none'}`);
      } finally {
        await close();
      }
    });
}
