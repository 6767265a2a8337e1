import { readFile } from 'node:fs/promises';

/** In the order of their numbers (capabilities(7)). */
const names = (
  'CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE ' +
  'NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN ' +
  'SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE ' +
  'MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE'
).split(' ');

/** What a container has where nothing is said: Docker's set, which the other runtimes share. */
const defaults =
  'CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE'.split(
    ' ',
  );

/** The capabilities that this process can hand on, `CAP_` and all. */
export async function hostCapabilities(): Promise<ReadonlySet<string>> {
  const status = await readFile('/proc/self/status', 'utf8');
  const bits = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return new Set(names.filter((_, index) => (bits >> BigInt(index)) & 1n).map((name) => `CAP_${name}`));
}

/**
 * The set of a container: the defaults, plus `add`, less `drop` (which `ALL` may stand for); all of them if privileged.
 * What the host itself does not have cannot be given. Throws for an unknown name.
 */
export function containerCapabilities(options: {
  readonly add: readonly string[];
  readonly drop: readonly string[];
  readonly privileged: boolean;
  readonly host: ReadonlySet<string>;
}): string[] {
  const add = options.add.map(normalise);
  const drop = options.drop.map(normalise);
  const start = options.privileged || add.includes('ALL') ? names : drop.includes('ALL') ? [] : defaults;
  const set = new Set(start);
  if (!options.privileged) {
    for (const name of drop) set.delete(name);
    for (const name of add) if (name !== 'ALL') set.add(name);
  }
  return names.filter((name) => set.has(name) && options.host.has(`CAP_${name}`)).map((name) => `CAP_${name}`);
}

function normalise(name: string): string {
  const upper = name.toUpperCase().replace(/^CAP_/, '');
  if (upper !== 'ALL' && !names.includes(upper)) throw new Error(`unknown capability "CAP_${upper}"`);
  return upper;
}
