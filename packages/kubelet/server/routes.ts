import type { IncomingMessage } from 'node:http';
import type { Pod, PodStatus } from '@kubernode/api/core/v1';
import type { Cri } from '@kubernode/api/cri';
import { parseTime, type Clock } from '@kubernode/machinery';
import { readRuntimePod } from '../cri/runtime-state.ts';
import { findContainer } from '../pod-lifecycle/containers-of.ts';
import { latestContainer } from '../pod-lifecycle/runtime-pod.ts';
import { logContainerId } from './log-container.ts';
import { readLog, type LogOptions } from './log-reader.ts';
import { formatMetrics, kubeletMetrics, resourceMetrics } from './metrics.ts';
import { statsSummary, type StatsInput } from './stats.ts';

/** What the kubelet's API shows, and whom it asks. */
export interface ServerContext {
  readonly nodeName: string;
  readonly cri: Cri;
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly config: unknown;
  pod(name: string, namespace: string): Pod | undefined;
  pods(): readonly Pod[];
  status(pod: Pod): PodStatus;
  stats(): Promise<StatsInput>;
  /** Calls back when containers of the pod changed; answers the way to stop. */
  onPodChange(podUid: string, callback: () => void): () => void;
}

export interface Answer {
  readonly status: number;
  readonly text?: string | undefined;
  readonly json?: unknown;
  readonly stream?: AsyncIterable<Uint8Array> | undefined;
  readonly contentType?: string | undefined;
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';
const missing = (what: string): Answer => ({ status: 404, text: what });

export async function route(
  context: ServerContext,
  request: IncomingMessage,
  url: URL,
  signal: AbortSignal,
): Promise<Answer> {
  const [, first = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
  if (['exec', 'attach', 'portForward'].includes(first)) {
    return { status: 400, text: 'you must specify at least one of the upgrade protocols WebSocket and SPDY/3.1' };
  }
  if (request.method !== 'GET') return { status: 405, text: `${request.method} is not supported here` };
  switch ([first, ...rest].join('/').replace(/\/$/, '')) {
    case 'healthz':
      return { status: 200, text: 'ok' };
    case 'pods':
      return { status: 200, json: podList(context.pods().map((pod) => ({ ...pod, status: context.status(pod) }))) };
    case 'runningpods':
      return { status: 200, json: podList(await runningPods(context)) };
    case 'configz':
      return { status: 200, json: { kubeletconfig: context.config } };
    case 'stats/summary':
    case 'stats':
      return { status: 200, json: statsSummary(await context.stats()) };
    case 'metrics':
      return { status: 200, text: await ownMetrics(context), contentType: metricsType };
    case 'metrics/resource':
      return { status: 200, text: resourceMetrics(await context.stats()), contentType: metricsType };
    case 'metrics/cadvisor':
      return { status: 200, text: await cadvisorMetrics(context), contentType: metricsType };
    case 'metrics/probes':
      return { status: 200, text: '', contentType: metricsType };
  }
  if (first === 'containerLogs' && rest.length === 3) return containerLogs(context, rest, url, signal);
  return missing('404 page not found');
}

/** The runtime's URL for a stream, or the refusal. Paths: `/exec/<namespace>/<pod>[/<uid>]/<container>`. */
export async function routeUpgrade(context: ServerContext, url: URL): Promise<string | Answer> {
  const [, what = '', namespace = '', name = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
  const pod = context.pod(name, namespace);
  if (!pod) return missing(`pod does not exist`);
  const runtime = await readRuntimePod(context.cri, pod.metadata.uid);
  const query = url.searchParams;
  const on = (option: string) => ['1', 'true'].includes(query.get(option) ?? '');
  const streams = { stdin: on('input'), stdout: on('output'), stderr: on('error'), tty: on('tty') };
  if (what === 'portForward') {
    const sandbox = runtime.sandboxes.find(({ ready }) => ready);
    if (!sandbox) return missing(`pod not found ("${name}_${namespace}")`);
    const port = query.getAll('port').map(Number);
    return (await context.cri.portForward({ podSandboxId: sandbox.id, port })).url;
  }
  const container = rest.at(-1) ?? '';
  const running = latestContainer(runtime, container);
  if (running?.state !== 'running') return missing(`container not found ("${container}")`);
  const containerId = running.id;
  if (what === 'exec') {
    if (!streams.stdin && !streams.stdout && !streams.stderr) {
      return { status: 400, text: 'you must specify at least 1 of stdin, stdout, stderr' };
    }
    // A terminal has one output.
    const stderr = streams.stderr && !streams.tty;
    return (await context.cri.exec({ containerId, cmd: query.getAll('command'), ...streams, stderr })).url;
  }
  if (what === 'attach') {
    const tty = findContainer(pod, container)?.container.tty ?? false;
    return (await context.cri.attach({ containerId, ...streams, tty, stderr: streams.stderr && !tty })).url;
  }
  return missing('404 page not found');
}

async function containerLogs(
  context: ServerContext,
  [namespace = '', name = '', container = '']: readonly string[],
  url: URL,
  signal: AbortSignal,
): Promise<Answer> {
  const pod = context.pod(name, namespace);
  if (!pod) return missing(`pod "${name}" does not exist`);
  if (!findContainer(pod, container)) return missing(`container "${container}" not found in pod "${name}"`);
  const options = logOptions(url.searchParams, context.clock.now());
  if (typeof options === 'string') return { status: 422, text: options };
  let containerId: string;
  try {
    containerId = logContainerId(name, context.status(pod), container, url.searchParams.get('previous') === 'true');
  } catch (error) {
    return { status: 400, text: error instanceof Error ? error.message : String(error) };
  }
  const status = async () => (await context.cri.containerStatus({ containerId })).status;
  const path = (await status().catch(() => undefined))?.logPath;
  if (!path) return { status: 400, text: `unable to retrieve container logs for ${containerId}` };
  const source = {
    path,
    signal,
    isRunning: async () => (await status().catch(() => undefined))?.state === 'CONTAINER_RUNNING',
    onChange: (callback: () => void) => context.onPodChange(pod.metadata.uid, callback),
  };
  return { status: 200, stream: readLog(source, options) };
}

/** The options of PodLogOptions, or what is wrong with them. */
function logOptions(query: URLSearchParams, nowMs: number): LogOptions | string {
  const number = (name: string) => (query.get(name) === null ? undefined : Number(query.get(name)));
  for (const name of ['tailLines', 'sinceSeconds', 'limitBytes']) {
    const value = number(name);
    if (value !== undefined && !(Number.isInteger(value) && value >= 0))
      return `${name}: must be a whole number from 0`;
  }
  const sinceSeconds = number('sinceSeconds');
  const sinceTime = query.get('sinceTime');
  const on = (name: string) => ['true', '1'].includes(query.get(name) ?? '');
  return {
    follow: on('follow'),
    timestamps: on('timestamps'),
    stream: query.get('stream') ?? 'All',
    tailLines: number('tailLines'),
    limitBytes: number('limitBytes'),
    sinceMs: sinceSeconds !== undefined ? nowMs - sinceSeconds * 1000 : sinceTime ? parseTime(sinceTime) : undefined,
  };
}

const podList = (items: readonly unknown[]) => ({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

/** What the runtime runs, as bare pods. */
async function runningPods({ cri }: ServerContext) {
  const { items } = await cri.listPodSandbox({ filter: { state: { state: 'SANDBOX_READY' } } });
  const { containers } = await cri.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } });
  return items.map(({ id, metadata }) => ({
    metadata: { name: metadata?.name, namespace: metadata?.namespace, uid: metadata?.uid },
    spec: {
      containers: containers
        .filter(({ podSandboxId }) => podSandboxId === id)
        .map(({ metadata: own, image }) => ({ name: own?.name, image: image?.image })),
    },
    status: {},
  }));
}

async function ownMetrics({ cri, nodeName, startedAtMs }: ServerContext): Promise<string> {
  const { items } = await cri.listPodSandbox({ filter: { state: { state: 'SANDBOX_READY' } } });
  const { containers } = await cri.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } });
  return kubeletMetrics({ nodeName, startedAtMs, runningPods: items.length, runningContainers: containers.length });
}

async function cadvisorMetrics(context: ServerContext): Promise<string> {
  const { sandboxes } = await context.stats();
  const rows = sandboxes.flatMap(({ attributes, linux }) =>
    (linux?.containers ?? []).map((stats) => ({
      labels: {
        container: stats.attributes?.metadata?.name ?? '',
        id: stats.attributes?.id ?? '',
        namespace: attributes?.metadata?.namespace ?? '',
        pod: attributes?.metadata?.name ?? '',
      },
      stats,
    })),
  );
  const samples = (read: (stats: (typeof rows)[number]['stats']) => number) =>
    rows.map(({ labels, stats }) => ({ labels, value: read(stats) }));
  return formatMetrics([
    {
      name: 'container_cpu_usage_seconds_total',
      type: 'counter',
      help: 'Cumulative cpu time consumed in seconds.',
      samples: samples(({ cpu }) => (cpu?.usageCoreNanoSeconds?.value ?? 0) / 1e9),
    },
    {
      name: 'container_memory_working_set_bytes',
      type: 'gauge',
      help: 'Current working set in bytes.',
      samples: samples(({ memory }) => memory?.workingSetBytes?.value ?? 0),
    },
  ]);
}
