import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../terminal/user-error.ts';
import type { DataDir } from './data-dir.ts';

/** What holds a data folder: the process with the time it was started, as process numbers are used again. */
export interface Holder {
  readonly pid: number;
  readonly started: string;
}

export type Role = 'server' | 'agent';

/** The process that runs this role of the cluster; undefined where none is alive. */
export function holderOf(dataDir: DataDir, role: Role): Holder | undefined {
  const file = lockFile(dataDir, role);
  if (!existsSync(file)) return undefined;
  const [pid = '', started = ''] = readFileSync(file, 'utf8').trim().split(' ');
  return started !== '' && startTime(Number(pid)) === started ? { pid: Number(pid), started } : undefined;
}

/** Takes the role for this process. Throws UserError where another has it. Answers the way to give it back. */
export function takeRole(dataDir: DataDir, role: Role): () => void {
  const file = lockFile(dataDir, role);
  const holder = holderOf(dataDir, role);
  if (holder) {
    throw new UserError(
      `The data folder ${dataDir.path} is in use by process ${holder.pid}.`,
      `Stop that cluster with 'kubernode down --data-dir ${dataDir.path}', or choose another --data-dir.`,
    );
  }
  rmSync(file, { force: true });
  writeFileSync(file, `${process.pid} ${startTime(process.pid)}\n`, { flag: 'wx' });
  return () => rmSync(file, { force: true });
}

const lockFile = (dataDir: DataDir, role: Role) => join(dataDir.path, 'run', `${role}.pid`);

/** Clock ticks since boot at which a process started (proc(5), field 22); '' where there is none, or only its zombie. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
