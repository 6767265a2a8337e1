import { computedMs, type Target } from './server.ts';

export interface Rate {
  readonly count: number;
  readonly perSecond: number;
  /** Time of the server's processors for one; undefined where its processes are not on this machine. */
  readonly serverUs: number | undefined;
  /** Time of this process for one. */
  readonly clientUs: number;
  /** How much of a core this process took, where 1 says that the client was the limit. */
  readonly clientShare: number;
}

/** Measures from now on, until it is told how often something happened. */
export function startMeter(target: Target): (count: number) => Rate {
  const serverMs = computedMs(target);
  const client = process.cpuUsage();
  const startedMs = performance.now();
  return (count) => {
    const seconds = (performance.now() - startedMs) / 1000;
    const { user, system } = process.cpuUsage(client);
    const clientUs = user + system;
    const nowMs = computedMs(target);
    return {
      count,
      perSecond: count / seconds,
      serverUs: serverMs === undefined || nowMs === undefined ? undefined : ((nowMs - serverMs) * 1000) / count,
      clientUs: clientUs / count,
      clientShare: clientUs / 1e6 / seconds,
    };
  };
}
