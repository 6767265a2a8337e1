import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { addDataDirFlag } from '../cluster/server-flags.ts';
import { existingDataDir } from '../cluster/data-dir.ts';
import { UserError } from '../terminal/user-error.ts';

export function addLogs(program: Command): void {
  addDataDirFlag(program.command('logs'))
    .description('print the log of the background server')
    .option('-f, --follow', 'go on as lines are written')
    .option('-n, --lines <number>', 'only the last lines', '100')
    .action(async ({ dataDir: path, follow, lines }: { dataDir: string; follow?: boolean; lines: string }) => {
      const dataDir = existingDataDir(path);
      if (!dataDir) throw new UserError(`There is no cluster in ${path}.`, "Start one with 'kubernode up'.");
      // tail ends with this process, also where that is killed.
      const following = follow ? ['-F', `--pid=${process.pid}`] : [];
      const args = ['-n', lines, ...following, dataDir.logFile];
      await new Promise((done) => spawn('tail', args, { stdio: 'inherit' }).on('close', done));
    });
}
