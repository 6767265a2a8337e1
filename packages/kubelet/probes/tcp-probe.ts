import { connect } from 'node:net';
import { networkError } from './http-probe.ts';
import type { ProbeOutcome } from './probe-outcome.ts';

/** Healthy when the port accepts a connection. */
export function tcpProbe(host: string, port: number, signal: AbortSignal): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (outcome: ProbeOutcome) => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      resolve(outcome);
    };
    const onAbort = () => finish({ healthy: false, output: `dial tcp ${host}:${port}: i/o timeout` });
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('connect', () => finish({ healthy: true, output: '' }));
    socket.on('error', (error) => {
      finish({ healthy: false, output: networkError(error, { hostname: host, port }, signal) });
    });
  });
}
