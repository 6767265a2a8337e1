import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  const [pid = '', started = ''] = readIfThere(lockFile(dataDir, role)).trim().split(' ');
  return started !== '' && startTime(Number(pid)) === started ? { pid: Number(pid), started } : undefined;
}

/** Takes the role for this process. Throws UserError where another has it. Answers the way to give it back. */
export function takeRole(dataDir: DataDir, role: Role): () => void {
  const file = lockFile(dataDir, role);
  const own = `${file}.${process.pid}`;
  writeFileSync(own, `${process.pid} ${startTime(process.pid)}\n`);
  try {
    for (;;) {
      const holder = holderOf(dataDir, role);
      if (holder) throw inUse(dataDir, holder);
      // A link is made by one process only; a name that is there is of one that was killed.
      if (tryLink(own, file)) return () => rmSync(file, { force: true });
      discardStale(dataDir, role, file);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

function inUse(dataDir: DataDir, { pid }: Holder): UserError {
  return new UserError(
    `The data folder ${dataDir.path} is in use by process ${pid}.`,
    `Stop that cluster with 'kubernode down --data-dir ${dataDir.path}', or choose another --data-dir.`,
  );
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function discardStale(dataDir: DataDir, role: Role, file: string): void {
  if (holderOf(dataDir, role)) return;
  try {
    renameSync(file, `${file}.stale`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // Another one discarded it.
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
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
