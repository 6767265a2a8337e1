import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completeMessage } from '@kubernode/api/cri';
import { createWithConmon } from '../containers/conmon.ts';
import { systemMounts } from '../containers/mounts.ts';
import { ociSpec } from '../containers/spec.ts';
import type { RuntimeContext } from '../context.ts';
import { identifyProcess, type ProcessIdentity } from '../host/processes.ts';
import { writeBusyboxRoot } from '../testing/busybox-image.ts';

/** Reaps what the pod's processes leave behind (`wait` of busybox's shell does), and ends on SIGTERM. */
const script = 'trap "exit 0" TERM INT; while :; do sleep 2147483647 & wait $!; done';

/** Starts the process that is number 1 of a process namespace which all containers of a pod share. */
export async function startPause(
  context: RuntimeContext,
  options: {
    readonly id: string;
    readonly folder: string;
    readonly namespaces: { readonly network: string; readonly ipc: string; readonly uts: string };
    readonly cgroupsPath: string;
  },
): Promise<ProcessIdentity | undefined> {
  const rootPath = join(context.rootFolder, 'pause');
  if (!(await stat(join(rootPath, 'bin/sh')).catch(() => undefined))) {
    await writeBusyboxRoot(rootPath, context.busyboxPath);
  }
  const keep = new Set(['/proc', '/dev']);
  const spec = ociSpec({
    config: completeMessage('ContainerConfig', {
      command: ['/bin/sh', '-c', script],
      linux: {
        resources: { cpuShares: 2 },
        securityContext: { readonlyRootfs: true, noNewPrivs: true, capabilities: { dropCapabilities: ['ALL'] } },
      },
    }),
    image: { rootfs: { diff_ids: [] } },
    user: { uid: 65_534, gid: 65_534, additionalGids: [] },
    rootPath,
    hostname: '',
    namespaces: { ...options.namespaces, pid: 'new' },
    mounts: systemMounts({ privileged: false, files: { resolvConf: '', hostname: '', shm: '' } }).filter((mount) =>
      keep.has(mount.destination),
    ),
    rootPropagation: 'rprivate',
    devices: [],
    deviceRules: [{ allow: false, access: 'rwm' }],
    cgroupsPath: options.cgroupsPath,
    cgroupVersion: context.cgroups.version,
    hostCapabilities: context.hostCapabilities,
    ownOomScoreAdj: context.ownOomScoreAdj,
  });
  await mkdir(options.folder, { recursive: true });
  await writeFile(join(options.folder, 'config.json'), JSON.stringify(spec));
  const pid = await createWithConmon({
    path: context.conmonPath,
    id: options.id,
    name: 'pause',
    bundle: options.folder,
    exitFolder: join(context.stateFolder, 'exits'),
    logPath: '/dev/null',
    tty: false,
    stdin: false,
    stdinOnce: false,
    oci: context.oci,
  });
  await context.oci.start(options.id);
  return identifyProcess(pid);
}
