import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that a node needs, and the Debian package that brings it. */
export interface Program {
  readonly name: string;
  readonly package: string;
  readonly why: string;
  /** Any one of these will do. */
  readonly alternatives?: readonly string[];
}

export const nodePrograms: readonly Program[] = [
  { name: 'runc', package: 'runc', why: 'starts containers', alternatives: ['runc', 'crun'] },
  { name: 'conmon', package: 'conmon', why: 'watches over containers while Kubernode is away' },
  { name: 'nft', package: 'nftables', why: 'Services, and rules for pod traffic' },
  { name: 'ip', package: 'iproute2', why: 'links and addresses of pods' },
  { name: 'conntrack', package: 'conntrack', why: 'forgets UDP flows to backends that are gone' },
  { name: 'busybox', package: 'busybox-static', why: 'the local demo image' },
  { name: 'socat', package: 'socat', why: 'kubectl attach and port-forward' },
];

/** Where a program is, or undefined. Looks in the system's folders too, which a user's PATH may lack. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | undefined {
  const folders = [...path.split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** The programs of the list that are not on this machine. */
export function missingPrograms(programs: readonly Program[] = nodePrograms): Program[] {
  return programs.filter(
    ({ name, alternatives = [name] }) => !alternatives.some((candidate) => findProgram(candidate)),
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
