import type { Service } from '@kubernode/api/core/v1';
import type { Clock } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import type { WarnOf } from './events.ts';
import { healthCheckPortsOf, nodePortsOf } from './hooks.ts';
import type { PortAllocator } from './port-allocator.ts';

const intervalMs = 3 * 60_000;
/** A port that nobody has is given back after so many rounds: its Service may be about to be written. */
const roundsMax = 3;

interface RepairOptions {
  readonly state: ClusterState;
  readonly clock: Clock;
  readonly nodePorts: PortAllocator;
  readonly warnOf: WarnOf;
  /** Counts what was found, by upstream's types. */
  readonly count: (type: string) => void;
}

/** Keeps the node ports that are given out true to the Services that have them. Answers the way to stop. */
export function startPortRepair({ state, clock, nodePorts, warnOf, count }: RepairOptions): () => void {
  let leaks = new Map<number, number>();
  let cancel: () => void;
  const repair = () => {
    const owned = new Map<number, Service>();
    for (const service of state.list('', 'services') as unknown as readonly Service[]) {
      for (const port of new Set([...nodePortsOf(service.spec), ...healthCheckPortsOf(service.spec)])) {
        const problem = problemOf(port, owned, nodePorts);
        if (problem) {
          const { type, ...text } = problem;
          count(type);
          warnOf({ apiVersion: 'v1', kind: 'Service' }, service, { ...text, action: 'PortAllocation' });
        }
        if (!owned.has(port)) owned.set(port, service);
      }
    }
    const stillLeaking = new Map<number, number>();
    for (const port of nodePorts.used()) {
      if (owned.has(port)) continue;
      const rounds = (leaks.get(port) ?? 0) + 1;
      if (rounds > roundsMax) {
        count('leak');
        nodePorts.release(port);
      } else stillLeaking.set(port, rounds);
    }
    leaks = stillLeaking;
    cancel = clock.after(intervalMs, repair);
  };
  cancel = clock.after(intervalMs, repair);
  return () => cancel();
}

function problemOf(port: number, owned: ReadonlyMap<number, Service>, nodePorts: PortAllocator) {
  if (owned.has(port)) {
    const note = `Port ${port} was assigned to multiple services; please recreate service`;
    return { type: 'duplicate', reason: 'PortAlreadyAllocated', note };
  }
  const { first, last } = nodePorts.range;
  const reservation = nodePorts.reserve(port);
  if (reservation === 'used') return undefined;
  return reservation === 'ok'
    ? { type: 'repair', reason: 'PortNotAllocated', note: `Port ${port} is not allocated; repairing` }
    : {
        type: 'outOfRange',
        reason: 'PortOutOfRange',
        note: `Port ${port} is not within the port range ${first}-${last}; please recreate service`,
      };
}
