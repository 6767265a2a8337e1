import type { ContainerStatus, Pod } from '../../generated/types/core/v1.ts';
import { parseTime, table } from '@kubernode/machinery';
import { cellAt, type Cell } from '../../cell.ts';
import type { RowCondition } from '../../definition.ts';
import { age, ageCell, noneCell } from '../cells.ts';

/** What `kubectl get pods` shows: the one word of state a user looks at first. Pure, so that clients may use it too. */
export function podRow(pod: Pod): readonly Cell[] {
  const { spec, status } = pod;
  const state = summarize(pod);
  const gates = spec.readinessGates ?? [];
  const passed = gates.filter(({ conditionType }) =>
    status?.conditions?.some(({ type, status: value }) => type === conditionType && value === 'True'),
  );
  return [
    pod.metadata.name,
    `${state.ready}/${state.total}`,
    state.reason,
    restartsCell(state),
    age(pod),
    status?.podIPs?.[0]?.ip || status?.podIP || noneCell,
    spec.nodeName || noneCell,
    status?.nominatedNodeName || noneCell,
    gates.length > 0 ? `${passed.length}/${gates.length}` : noneCell,
  ];
}

function restartsCell({ restarts, lastRestart }: Summary): Cell {
  if (restarts <= 0 || lastRestart === undefined) return String(restarts);
  const since = ageCell(lastRestart);
  return (nowMs) => `${restarts} (${cellAt(since, nowMs)} ago)`;
}

/** Pods that ran to their end are marked, so that clients can leave them out. */
export function podRowConditions({ status }: Pod): readonly RowCondition[] {
  const ended = endedPhases[status.phase ?? ''];
  return ended ? [{ type: 'Completed', status: 'True', reason: status.phase ?? '', message: ended }] : [];
}

const endedPhases: Readonly<Record<string, string>> = table({
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
});

interface Summary {
  reason: string;
  ready: number;
  total: number;
  restarts: number;
  lastRestart: string | undefined;
}

function summarize(pod: Pod): Summary {
  const { spec, status, metadata } = pod;
  const summary: Summary = {
    reason: status?.reason || status?.phase || '',
    ready: 0,
    total: (spec.containers ?? []).length,
    restarts: 0,
    lastRestart: undefined,
  };
  const gated = status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated');
  if (gated) summary.reason = 'SchedulingGated';
  const sidecars: Tally = { restarts: 0, lastRestart: undefined };
  const initializing = readInit(pod, summary, sidecars);
  const isInitialized = status?.conditions?.some(
    ({ type, status: value }) => type === 'Initialized' && value === 'True',
  );
  if (!initializing || isInitialized) readContainers(pod, summary, sidecars);
  if (metadata.deletionTimestamp) {
    if (status?.reason === 'NodeLost') summary.reason = 'Unknown';
    else if (status?.phase !== 'Failed' && status?.phase !== 'Succeeded') summary.reason = 'Terminating';
  }
  return summary;
}

interface Tally {
  restarts: number;
  lastRestart: string | undefined;
}

/** The init containers; true while one of them holds the pod up. Sidecars count among the pod's own containers. */
function readInit({ spec, status }: Pod, summary: Summary, sidecars: Tally): boolean {
  const init = spec.initContainers ?? [];
  const isSidecar = new Set(init.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name));
  summary.total += isSidecar.size;
  for (const [index, container] of (status?.initContainerStatuses ?? []).entries()) {
    summary.restarts += container.restartCount ?? 0;
    summary.lastRestart = later(summary.lastRestart, container);
    if (isSidecar.has(container.name)) {
      sidecars.restarts += container.restartCount ?? 0;
      sidecars.lastRestart = later(sidecars.lastRestart, container);
    }
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0 && !isSidecar.has(container.name)) continue;
    if (isSidecar.has(container.name) && container.started) {
      if (container.ready) summary.ready += 1;
      continue;
    }
    if (terminated) summary.reason = `Init:${terminated.reason || exitReason(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') summary.reason = `Init:${waiting.reason}`;
    else summary.reason = `Init:${index}/${init.length}`;
    return true;
  }
  return false;
}

/** The main containers, the last one first: the first one's trouble is what shows. */
function readContainers({ status }: Pod, summary: Summary, sidecars: Tally): void {
  summary.restarts = sidecars.restarts;
  summary.lastRestart = sidecars.lastRestart;
  let running = false;
  for (const container of (status?.containerStatuses ?? []).toReversed()) {
    summary.restarts += container.restartCount ?? 0;
    summary.lastRestart = later(summary.lastRestart, container);
    const { waiting, terminated, running: isRunning } = container.state ?? {};
    if (waiting?.reason) summary.reason = waiting.reason;
    else if (terminated) summary.reason = terminated.reason || exitReason(terminated);
    else if (container.ready && isRunning) {
      running = true;
      summary.ready += 1;
    }
  }
  if (summary.reason !== 'Completed' || !running) return;
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  summary.reason = isReady ? 'Running' : 'NotReady';
}

const exitReason = ({ signal, exitCode }: { signal?: number | undefined; exitCode: number }) =>
  signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;

function later(time: string | undefined, { lastState }: ContainerStatus): string | undefined {
  const finished = lastState?.terminated?.finishedAt;
  if (!finished) return time;
  return time === undefined || (parseTime(finished) ?? 0) > (parseTime(time) ?? 0) ? finished : time;
}
