import { readFile } from 'node:fs/promises';
import type { NodeSetup } from '../node-setup.ts';
import type { CompleteOptions } from '../options.ts';
import type { PodWork } from '../pod-work.ts';
import { delegatedAuthentication } from './authentication.ts';
import { delegatedAuthorization } from './authorization.ts';
import { KubeletServer } from './kubelet-server.ts';
import type { ServerContext } from './routes.ts';
import type { StatsInput } from './stats.ts';

/** Starts the HTTPS API, if there is to be one. */
export async function startServer(
  options: CompleteOptions,
  setup: NodeSetup,
  work: PodWork,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { listen, client, clock, cri, log, nodeName } = options;
  if (!listen) return { port: 0, stop: async () => {} };
  const { manager, context: pods, listeners } = work;
  const context: ServerContext = {
    nodeName,
    cri,
    clock,
    startedAtMs: setup.startedAtMs,
    config: shownConfig(options),
    pod: (name, namespace) => manager.get(name, namespace),
    pods: () => manager.list(),
    status: (pod) => pods.statuses.get(pod.metadata.uid) ?? pod.status,
    stats: () => readStats(options, setup),
    onPodChange: (podUid, callback) => listeners.add(podUid, callback),
  };
  const server = new KubeletServer({
    listen,
    context,
    log,
    authenticate: options.authenticate ?? delegatedAuthentication({ client, clock }),
    authorize: options.authorize ?? delegatedAuthorization({ client, clock }),
  });
  const port = await server.start();
  return { port, stop: () => server.stop() };
}

async function readStats({ cri, clock, nodeName }: CompleteOptions, { machine }: NodeSetup): Promise<StatsInput> {
  const [{ stats }, procStat, meminfo] = await Promise.all([
    cri.listPodSandboxStats({}),
    readFile('/proc/stat', 'utf8').catch(() => ''),
    readFile('/proc/meminfo', 'utf8').catch(() => ''),
  ]);
  return {
    nodeName,
    machine,
    sandboxes: stats,
    nodeCpuNanoseconds: busyNanoseconds(procStat),
    nodeAvailableBytes: Number(/^MemAvailable:\s+(\d+) kB/m.exec(meminfo)?.[1] ?? 0) * 1024,
    nowMs: clock.now(),
  };
}

/** All of /proc/stat's first line but idle and iowait, in ticks of 10 ms; guests are counted as user already. */
function busyNanoseconds(procStat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (procStat.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * 10_000_000;
}

/** KubeletConfiguration, as far as it is set here. */
function shownConfig(options: CompleteOptions) {
  return {
    kind: 'KubeletConfiguration',
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: options.cgroupRoot || '',
    clusterDNS: options.clusterDns ?? [],
    clusterDomain: options.clusterDomain,
    containerLogMaxFiles: options.containerLogFilesMax,
    containerLogMaxSize: `${Math.floor(options.containerLogBytesMax / (1024 * 1024))}Mi`,
    maxPods: options.maxPods,
    podPidsLimit: options.podPidsMax || -1,
    registerNode: options.registerNode,
  };
}
