import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { existingDataDir } from '../cluster/data-dir.ts';
import { addDataDirFlag } from '../cluster/server-flags.ts';
import { UserError } from '../terminal/user-error.ts';

export function addKubeconfig(program: Command): void {
  addDataDirFlag(program.command('kubeconfig'))
    .description("print the administrator's kubeconfig")
    .option('--merge', 'put it into $KUBECONFIG or ~/.kube/config and make it the current context')
    .action(async ({ dataDir: path, merge }: { dataDir: string; merge?: boolean }) => {
      const dataDir = existingDataDir(path);
      if (!dataDir || !existsSync(dataDir.kubeconfig)) {
        throw new UserError(`There is no cluster in ${path}.`, "Start one with 'kubernode up'.");
      }
      const own = readFileSync(dataDir.kubeconfig, 'utf8');
      if (!merge) return void process.stdout.write(own);
      const { mergeKubeconfigs } = await import('../cluster/kubeconfig.ts');
      const target = process.env['KUBECONFIG']?.split(':')[0] || join(homedir(), '.kube', 'config');
      const { makeFolderSync } = await import('@kubernode/machinery');
      makeFolderSync(dirname(target), 0o777);
      const merged = existsSync(target) ? mergeKubeconfigs(readFileSync(target, 'utf8'), own) : own;
      writeFileSync(target, merged, { mode: 0o600 });
      chmodSync(target, 0o600);
      console.log(`The context is in ${target}, and current.`);
    });
}
