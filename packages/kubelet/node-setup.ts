import { mkdir, readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Backoff, sleep } from '@kubernode/machinery';
import { Cgroups, isCgroupV2 } from './containers/cgroups.ts';
import { podCgroup } from './containers/cgroup-path.ts';
import { parseResolverConfig } from './containers/dns.ts';
import type { NodeConfig } from './containers/sandbox-config.ts';
import { readMachine, type Machine } from './node/machine.ts';
import type { NodeFacts } from './node/node-object.ts';
import type { CompleteOptions } from './options.ts';

/** What is found out once, before anything starts. */
export interface NodeSetup {
  readonly machine: Machine;
  readonly startedAtMs: number;
  readonly runtimeName: string;
  readonly cgroups: Cgroups | undefined;
  readonly config: NodeConfig;
  /** All but the port, which is known once the server listens. */
  readonly facts: Omit<NodeFacts, 'port'>;
}

const runtimeTriesMax = 8;

/** Looks at machine and runtime and makes the kubelet's folders. Throws when the runtime does not answer. */
export async function setUpNode(options: CompleteOptions): Promise<NodeSetup> {
  if (options.cgroupDriver === 'systemd') {
    throw new Error('kubelet: cgroupDriver "systemd" is not supported: use "cgroupfs"');
  }
  const { rootDir, nodeName, cgroupRoot, cgroupMountPoint: mountPoint, podPidsMax, log } = options;
  const logsDir = options.podLogsDir ?? join(rootDir, 'logs');
  for (const dir of [rootDir, logsDir, join(rootDir, 'pods')]) await mkdir(dir, { recursive: true });
  const machine = await readMachine();
  const runtime = await runtimeIdentity(options);
  const { blocks, bsize } = await statfs(rootDir);
  const cgroups = cgroupRoot === false ? undefined : new Cgroups({ mountPoint, cgroupRoot, podPidsMax, log });
  return {
    machine,
    startedAtMs: options.clock.now(),
    runtimeName: runtime.name,
    cgroups,
    config: {
      logsDir,
      seccompDir: join(rootDir, 'seccomp'),
      clusterDns: options.clusterDns ?? [],
      clusterDomain: options.clusterDomain,
      hostResolver: parseResolverConfig(await readFile(options.resolverConfigPath, 'utf8').catch(() => '')),
      memoryCapacityBytes: machine.memoryBytes,
      groupOomKill: isCgroupV2(mountPoint),
      appArmor: (await readFile('/sys/module/apparmor/parameters/enabled', 'utf8').catch(() => '')).startsWith('Y'),
      cgroupParent: (pod) => (cgroupRoot === false ? '' : podCgroup(cgroupRoot, pod)),
    },
    facts: {
      nodeName,
      machine,
      nodeIps: options.nodeAddresses,
      nodeLabels: options.nodeLabels ?? {},
      taints: options.registerWithTaints ?? [],
      maxPods: options.maxPods,
      diskBytes: blocks * bsize,
      runtimeVersion: `${runtime.name}://${runtime.version}`,
      runtimeHandlers: runtime.handlers,
      supplementalGroupsPolicy: runtime.supplementalGroupsPolicy,
      systemReserved: options.systemReserved,
    },
  };
}

/** A runtime that was started together with the kubelet may need a moment. */
async function runtimeIdentity({ cri, clock, log, random }: CompleteOptions) {
  const backoff = new Backoff({ initialMs: 100, maxMs: 4_000, random });
  for (;;) {
    try {
      const { runtimeName: name, runtimeVersion: version } = await cri.version({ version: 'v1' });
      const { runtimeHandlers, features } = await cri.status({});
      return {
        name,
        version,
        handlers: runtimeHandlers.map((handler) => ({ name: handler.name, features: handler.features })),
        supplementalGroupsPolicy: features?.supplementalGroupsPolicy ?? false,
      };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (backoff.failures >= runtimeTriesMax) {
        throw new Error(`kubelet: the container runtime does not answer: ${why}`, { cause: error });
      }
      log.info('waiting for the container runtime', { error: why });
      await sleep(clock, backoff.next());
    }
  }
}
