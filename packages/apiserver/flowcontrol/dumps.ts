import type { Entering } from './flow-control.ts';
import type { FlowQueue, QueuedRequest } from './flow-queue.ts';
import type { PriorityLevel } from './priority-level.ts';

type Levels = ReadonlyMap<string, PriorityLevel>;

/** What `/debug/api_priority_and_fairness/<name>` shows, in upstream's layout; undefined for other names. */
export function dump(name: string, levels: Levels, details: boolean): string | undefined {
  const sorted = [...levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (name === 'dump_priority_levels') return tabulate([levelColumns, ...sorted.map(levelRow)]);
  if (name === 'dump_queues') return tabulate([queueColumns, ...sorted.flatMap(queueRows)]);
  if (name !== 'dump_requests') return undefined;
  const columns = details ? [...requestColumns, ...detailColumns] : requestColumns;
  return tabulate([columns, ...sorted.flatMap((level) => requestRows(level, details))]);
}

const levelColumns = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];

function levelRow({ name, queues, isQuiescing }: PriorityLevel): string[] {
  const active = queues.queues.filter(({ requests }) => requests.length > 0).length;
  const { dispatched, rejected, timedOut, cancelled } = queues.tallies;
  const counts = [queues.waiting, queues.executing, dispatched, rejected, timedOut, cancelled];
  return [name, active, queues.isIdle, isQuiescing, ...counts].map(String);
}

const queueColumns = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];

const queueRows = ({ name, queues }: PriorityLevel): string[][] =>
  queues.queues.map((queue, index) => {
    const sumOf = (read: (request: QueuedRequest) => number) =>
      queue.requests.reduce((sum, request) => sum + read(request), 0);
    const counts = [index, queue.requests.length, queue.executing.size, queue.seatsInUse].map(String);
    const sums = [sumOf(({ work }) => work.initialSeats), sumOf(({ seats }) => seats)].map(String);
    return [name, ...counts, seatSeconds(queue.nextDispatchR), ...sums, seatSeconds(queue.workSum)];
  });

const seatSeconds = (value: number) => `${value.toFixed(8)}ss`;

const requestColumns = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];
const detailColumns = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

function requestRows({ name, queues }: PriorityLevel, details: boolean): string[][] {
  const rowOf = (request: QueuedRequest, queue: number, place: number) => {
    const { arrival, work } = request;
    const times = [timeOf(request.arrivalMs), timeOf(request.startMs)] as const;
    const seats = [work.initialSeats, work.finalSeats].map(String);
    const own = [name, arrival.flowSchema, String(queue), String(place), arrival.distinguisher, times[0], ...seats];
    own.push(durationOf(work.additionalLatencyMs), times[1]);
    return details ? [...own, ...detailsOf(arrival.about as Entering)] : own;
  };
  const ofQueue = (queue: FlowQueue, index: number) => [
    ...queue.requests.map((request, place) => rowOf(request, index, place)),
    ...[...queue.executing].map((request) => rowOf(request, index, -1)),
  ];
  return [...queues.queues.flatMap(ofQueue), ...[...queues.queueless].map((request) => rowOf(request, -1, -1))];
}

function detailsOf({ user, attributes }: Entering): string[] {
  const { verb, path, namespace, name, group, version, resource, subresource } = attributes;
  const apiPath = path || pathOf(attributes);
  const apiVersion = group ? `${group}/${version}` : version;
  return [user.name, verb, apiPath, namespace, name, apiVersion, resource, subresource];
}

function pathOf({ group, version, namespace, resource, name, subresource }: Entering['attributes']): string {
  const start = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const parts = [start, namespace && resource !== 'namespaces' ? `namespaces/${namespace}` : '', resource, name];
  return [...parts, subresource].filter((part) => part !== '').join('/');
}

/** Go's zero time stands for what has not begun. */
const timeOf = (ms: number) => (ms === 0 ? '0001-01-01T00:00:00Z' : new Date(ms).toISOString().replace(/\.?0*Z$/, 'Z'));

/** As Go prints a duration below a second. */
const durationOf = (ms: number) => (ms === 0 ? '0s' : `${Number(ms.toFixed(6))}ms`);

/** As Go's tabwriter does with cells of 8 and a padding of 1: each but the last as wide as its column's widest. */
function tabulate(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell, index) => (index < row.length - 1 ? `${cell},` : cell)));
  const widths = cells[0]!.map((_, column) => Math.max(8, ...cells.map((row) => (row[column]?.length ?? 0) + 1)));
  const lines = cells.map((row) =>
    row.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column]!) : cell)).join(''),
  );
  return `${lines.join('\n')}\n`;
}
