import type { Command } from 'commander';
import { existingDataDir, type DataDir } from '../cluster/data-dir.ts';
import { holderOf, type Role } from '../cluster/lock.ts';
import { addDataDirFlag } from '../cluster/server-flags.ts';
import { createProgress } from '../terminal/progress.ts';
import { UserError } from '../terminal/user-error.ts';

export function addDown(program: Command): void {
  addDataDirFlag(program.command('down'))
    .description('stop the cluster; its state and running containers stay')
    .action(async ({ dataDir: path }: { dataDir: string }) => {
      const dataDir = existingDataDir(path);
      const progress = createProgress(process.stderr);
      if (!dataDir || !(await stopProcesses(dataDir, (title, run) => progress.step(title, run)))) {
        progress.say(`No cluster runs in ${path}.`);
      }
    });
}

const stopMsMax = 30_000;
const checkMs = 50;

/** Ends the server and the agent of a data folder; answers whether there was one. Throws UserError if one does not end. */
export async function stopProcesses(
  dataDir: DataDir,
  step: (title: string, run: () => Promise<void>) => Promise<void>,
): Promise<boolean> {
  let found = false;
  for (const role of ['agent', 'server'] as const) {
    const holder = holderOf(dataDir, role);
    if (!holder) continue;
    found = true;
    await step(`Stopping the ${role} (process ${holder.pid})`, () => stopProcess(dataDir, role, holder.pid));
  }
  return found;
}

async function stopProcess(dataDir: DataDir, role: Role, pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const deadlineMs = Date.now() + stopMsMax;
  while (holderOf(dataDir, role)?.pid === pid) {
    if (Date.now() > deadlineMs) {
      throw new UserError(
        `Process ${pid} does not end.`,
        `Look at its log, or end it with: kill -9 ${pid} (nothing is lost)`,
      );
    }
    await new Promise((done) => setTimeout(done, checkMs));
  }
}
