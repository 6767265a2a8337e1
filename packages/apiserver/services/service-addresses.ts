import type { Transport } from '@kubernode/api';
import type { Service } from '@kubernode/api/core/v1';
import type { Clock, Logger, Random } from '@kubernode/machinery';
import type { MetricsRegistry } from '../metrics/registry.ts';
import type { ClusterState, WriteHook } from '../seams.ts';
import { allocatorMetrics } from './allocator-metrics.ts';
import { eventRecorder } from './events.ts';
import { repairAllocators } from './hooks.ts';
import { IpAddresses } from './ip-addresses.ts';
import { PortAllocator, type PortRange } from './port-allocator.ts';
import { AddressRepair } from './repair-addresses.ts';
import { startPortRepair } from './repair-ports.ts';
import { followServiceCidrs } from './service-cidrs.ts';
import { serviceWriteHook } from './write-hook.ts';

interface Options {
  readonly state: ClusterState;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** `--service-cluster-ip-range`, primary first. */
  readonly ranges: readonly string[];
  readonly nodePortRange: PortRange | undefined;
}

/** What Services get from the cluster: addresses and node ports. */
export interface ServiceAddresses {
  readonly hook: WriteHook;
  /** Begins to repair; once the bootstrap objects are there. */
  start(): void;
  stop(): void;
}

/** What is given out already, the stored Services say. */
export function serviceAddresses({ ranges, nodePortRange, ...parts }: Options): ServiceAddresses {
  const { state, transport, clock, log, random } = parts;
  const { families, stop } = followServiceCidrs(state, ranges);
  const nodePorts = nodePortRange ? new PortAllocator(nodePortRange) : new PortAllocator();
  const allocators = { ips: families, nodePorts, random };
  for (const problem of repairAllocators(state.list('', 'services') as unknown as Service[], allocators)) {
    log.warn(problem);
  }
  const metrics = allocatorMetrics(parts.metrics, allocators);
  const addresses = new IpAddresses(transport);
  const warnOf = eventRecorder('ipallocator-repair-controller', parts);
  const repair = new AddressRepair({ state, clock, log, addresses, warnOf, count: metrics.repairedIp });
  let stopPorts: (() => void) | undefined;
  return {
    hook: serviceWriteHook(allocators, addresses, metrics),
    start() {
      repair.start();
      const warnOfPorts = eventRecorder('portallocator-repair-controller', parts);
      stopPorts = startPortRepair({ state, clock, nodePorts, warnOf: warnOfPorts, count: metrics.repairedPort });
    },
    stop() {
      stop();
      repair.stop();
      stopPorts?.();
    },
  };
}
