import { readFile } from 'node:fs/promises';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Ticks since the machine's start, field 22 of /proc/<pid>/stat. */
  readonly startTicks: string;
}

export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const fields = await statFields(pid);
  return fields && { pid, startTicks: fields[19] ?? '' };
}

/** Whether the very process still runs (a zombie does not). */
export async function isAlive(process: ProcessIdentity): Promise<boolean> {
  const fields = await statFields(process.pid);
  return fields !== undefined && fields[19] === process.startTicks && fields[0] !== 'Z' && fields[0] !== 'X';
}

/** Quiet where the process is gone. */
export async function signalProcess(target: ProcessIdentity, signal: number): Promise<void> {
  if (!(await isAlive(target))) return;
  try {
    process.kill(target.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The fields after the command's name, which may itself hold blanks and brackets: the first is the state. */
async function statFields(pid: number): Promise<string[] | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
