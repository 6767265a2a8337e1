import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container, EphemeralContainer, Pod } from '@kubernode/api/core/v1';
import type { CriInit } from '@kubernode/api/cri';
import { criMount } from '../containers/container-config.ts';
import { hostsFile } from '../containers/hostname.ts';
import { ContainerConfigError } from '../env/environment.ts';
import { expand } from '../env/expand.ts';
import { mountSubPath } from '../volumes/sub-path.ts';
import { podDirs } from '../volumes/volume-dirs.ts';
import type { MountedVolume } from '../volumes/volume-manager.ts';
import type { PodContext } from './pod-context.ts';

/** Where the kubelet finds a container's termination message afterwards. */
export function terminationLogPath(rootDir: string, podUid: string, container: string, attempt: number): string {
  return join(podDirs(rootDir, podUid).containers, container, String(attempt));
}

/** All mounts of a container: its volumes, /etc/hosts and the file for its termination message. */
export async function containerMounts(
  context: PodContext,
  pod: Pod,
  container: Container | EphemeralContainer,
  attempt: number,
  volumes: ReadonlyMap<string, MountedVolume>,
  env: ReadonlyMap<string, string>,
  podIps: readonly string[],
): Promise<CriInit<'Mount'>[]> {
  const mounts: CriInit<'Mount'>[] = [];
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const volume = volumes.get(mount.name);
    if (!volume)
      throw new ContainerConfigError(`cannot find volume "${mount.name}" to mount into container "${container.name}"`);
    const subPath = mount.subPathExpr ? expandedSubPath(mount.subPathExpr, env) : (mount.subPath ?? '');
    let hostPath = volume.path;
    if (subPath) {
      const { subPaths } = podDirs(context.rootDir, pod.metadata.uid);
      hostPath = join(subPaths, mount.name, container.name, String(index));
      // A restarted container sees what the path means now.
      await context.mounter.unmount(hostPath);
      await mountSubPath(volume.path, subPath, hostPath, context.mounter);
    }
    mounts.push(criMount(mount, hostPath, volume.readOnly));
  }
  const taken = new Set(mounts.map(({ containerPath }) => containerPath));
  if (!taken.has('/etc/hosts')) mounts.push(await hostsMount(context, pod, podIps));
  mounts.push(await terminationMount(context, pod, container, attempt));
  return mounts;
}

function expandedSubPath(expression: string, env: ReadonlyMap<string, string>): string {
  const missing: string[] = [];
  const path = expand(expression, (name) => {
    const value = env.get(name);
    if (value === undefined) missing.push(name);
    return value;
  });
  if (missing.length > 0) throw new ContainerConfigError(`missing value for "${missing[0]}"`);
  return path;
}

async function hostsMount(context: PodContext, pod: Pod, podIps: readonly string[]): Promise<CriInit<'Mount'>> {
  const { etcHosts, pod: podDir } = podDirs(context.rootDir, pod.metadata.uid);
  await mkdir(podDir, { recursive: true, mode: 0o750 });
  const hostFile = pod.spec.hostNetwork ? await readFile('/etc/hosts', 'utf8').catch(() => '') : '';
  await writeFile(etcHosts, hostsFile(pod, podIps, context.node.clusterDomain, hostFile), { mode: 0o644 });
  return { containerPath: '/etc/hosts', hostPath: etcHosts };
}

async function terminationMount(
  context: PodContext,
  pod: Pod,
  container: Container | EphemeralContainer,
  attempt: number,
): Promise<CriInit<'Mount'>> {
  const hostPath = terminationLogPath(context.rootDir, pod.metadata.uid, container.name, attempt);
  await mkdir(join(hostPath, '..'), { recursive: true, mode: 0o750 });
  await writeFile(hostPath, '');
  // Whatever user the container runs as may write its last words.
  await chmod(hostPath, 0o666);
  return { containerPath: container.terminationMessagePath ?? '/dev/termination-log', hostPath };
}
