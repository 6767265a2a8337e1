import { containerName, type StatsInput } from './stats.ts';

/** A metric in the Prometheus text format. */
interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(({ labels, value }) => {
        const inner = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
        return `${name}${inner.length > 0 ? `{${inner.join(',')}}` : ''} ${value}\n`;
      });
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

/** `/metrics/resource` (KEP 727): CPU and memory of node, pods and containers. */
export function resourceMetrics(input: StatsInput): string {
  const containers = input.sandboxes.flatMap(({ attributes, linux }) =>
    (linux?.containers ?? []).map((stats) => ({
      labels: {
        container: containerName(stats),
        namespace: attributes?.metadata?.namespace ?? '',
        pod: attributes?.metadata?.name ?? '',
      },
      cpu: (stats.cpu?.usageCoreNanoSeconds?.value ?? 0) / 1e9,
      memory: stats.memory?.workingSetBytes?.value ?? 0,
    })),
  );
  const pods = input.sandboxes.map(({ attributes, linux }) => ({
    labels: { namespace: attributes?.metadata?.namespace ?? '', pod: attributes?.metadata?.name ?? '' },
    cpu: (linux?.cpu?.usageCoreNanoSeconds?.value ?? 0) / 1e9,
    memory: linux?.memory?.workingSetBytes?.value ?? 0,
  }));
  const nodeMemory = Math.max(0, input.machine.memoryBytes - input.nodeAvailableBytes);
  const node = [{ labels: {}, cpu: input.nodeCpuNanoseconds / 1e9, memory: nodeMemory }];
  const cpu = (what: string, rows: typeof node): Metric => ({
    name: `${what}_cpu_usage_seconds_total`,
    type: 'counter',
    help: `[STABLE] Cumulative cpu time consumed by the ${what} in core-seconds`,
    samples: rows.map(({ labels, cpu: value }) => ({ labels, value })),
  });
  const memory = (what: string, rows: typeof node): Metric => ({
    name: `${what}_memory_working_set_bytes`,
    type: 'gauge',
    help: `[STABLE] Current working set of the ${what} in bytes`,
    samples: rows.map(({ labels, memory: value }) => ({ labels, value })),
  });
  return formatMetrics([
    cpu('container', containers),
    memory('container', containers),
    cpu('node', node),
    memory('node', node),
    cpu('pod', pods),
    memory('pod', pods),
    {
      name: 'resource_scrape_error',
      type: 'gauge',
      help: '[STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
      samples: [{ labels: {}, value: 0 }],
    },
  ]);
}

/** `/metrics`: the kubelet itself. */
export function kubeletMetrics(facts: {
  readonly nodeName: string;
  readonly runningPods: number;
  readonly runningContainers: number;
  readonly startedAtMs: number;
}): string {
  const { rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const one = (name: string, type: Metric['type'], help: string, value: number, labels = {}): Metric => ({
    name,
    type,
    help,
    samples: [{ labels, value }],
  });
  return formatMetrics([
    one('kubelet_node_name', 'gauge', "The node's name. The count is always 1.", 1, { node: facts.nodeName }),
    one('kubelet_running_pods', 'gauge', 'Number of pods that have a running pod sandbox', facts.runningPods),
    one('kubelet_running_containers', 'gauge', 'Number of containers currently running', facts.runningContainers, {
      container_state: 'running',
    }),
    one(
      'process_cpu_seconds_total',
      'counter',
      'Total user and system CPU time spent in seconds',
      (user + system) / 1e6,
    ),
    one('process_resident_memory_bytes', 'gauge', 'Resident memory size in bytes', rss),
    one('process_start_time_seconds', 'gauge', 'Start time of the process since unix epoch', facts.startedAtMs / 1000),
  ]);
}
