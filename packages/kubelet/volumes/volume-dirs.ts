import { join } from 'node:path';

/** Where a pod's things lie below the kubelet's root: the same layout as upstream's, secrets apart. */
export interface PodDirs {
  readonly pod: string;
  readonly volumes: string;
  readonly subPaths: string;
  readonly containers: string;
  readonly etcHosts: string;
  /** In memory: secrets and tokens. */
  readonly secrets: string;
}

export function podDirs(rootDir: string, podUid: string): PodDirs {
  const pod = join(rootDir, 'pods', podUid);
  return {
    pod,
    volumes: join(pod, 'volumes'),
    subPaths: join(pod, 'volume-subpaths'),
    containers: join(pod, 'containers'),
    etcHosts: join(pod, 'etc-hosts'),
    secrets: join(secretsRoot(rootDir), podUid),
  };
}

/** One tmpfs for all pods' secrets: they never reach a disk, and no pod needs a mount of its own. */
export function secretsRoot(rootDir: string): string {
  return join(rootDir, 'secrets');
}
