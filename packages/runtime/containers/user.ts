import { readFile } from 'node:fs/promises';
import { CriError, type LinuxContainerSecurityContext } from '@kubernode/api/cri';
import type { LowerFiles } from '../images/lower-files.ts';

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly additionalGids: readonly number[];
}

interface Accounts {
  readonly users: readonly { name: string; uid: number; gid: number }[];
  readonly groups: readonly { name: string; gid: number; members: readonly string[] }[];
}

/** The image's own accounts; empty where it has no such files (or only links, which could lead out of it). */
export async function readAccounts(files: LowerFiles): Promise<Accounts> {
  const lines = async (path: string): Promise<string[][]> => {
    const found = await files.find(path);
    if (!found?.stats.isFile()) return [];
    return (await readFile(found.path, 'utf8')).split('\n').map((line) => line.split(':'));
  };
  const [passwd, group] = await Promise.all([lines('etc/passwd'), lines('etc/group')]);
  return {
    users: passwd
      .filter((fields) => fields.length >= 4)
      .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) })),
    groups: group
      .filter((fields) => fields.length >= 3)
      .map(([name = '', , gid, members = '']) => ({
        name,
        gid: Number(gid),
        members: members.split(',').filter(Boolean),
      })),
  };
}

/**
 * Who the container runs as: the security context outweighs the image (`user[:group]`, names or numbers). The groups that
 * the image gives the user are added unless the policy is Strict (KEP-3619). Throws for a name that the image lacks.
 */
export function resolveUser(
  imageUser: string,
  context: LinuxContainerSecurityContext | undefined,
  accounts: Accounts,
): ContainerUser {
  const [imageName = '', imageGroup] = imageUser.split(':');
  const wanted = context?.runAsUser ? String(context.runAsUser.value) : context?.runAsUsername || imageName || '0';
  const user = accounts.users.find((entry) => entry.name === wanted || entry.uid === toNumber(wanted));
  const uid = toNumber(wanted) ?? user?.uid;
  if (uid === undefined) throw notFound('user', wanted, 'passwd');
  const ownGroup = context?.runAsUser || context?.runAsUsername ? undefined : imageGroup;
  const gid = context?.runAsGroup?.value ?? (ownGroup ? groupId(ownGroup, accounts) : (user?.gid ?? 0));
  const merged = context?.supplementalGroupsPolicy === 'Strict' || !user ? [] : memberships(user.name, accounts);
  return { uid, gid, additionalGids: [...new Set([gid, ...merged, ...(context?.supplementalGroups ?? [])])] };
}

function memberships(name: string, accounts: Accounts): number[] {
  return accounts.groups.filter((group) => group.members.includes(name)).map((group) => group.gid);
}

function groupId(wanted: string, accounts: Accounts): number {
  const gid = toNumber(wanted) ?? accounts.groups.find((group) => group.name === wanted)?.gid;
  if (gid === undefined) throw notFound('group', wanted, 'group');
  return gid;
}

function notFound(what: string, name: string, file: string): CriError {
  return new CriError('InvalidArgument', `unable to find ${what} ${name}: no matching entries in ${file} file`);
}

function toNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
