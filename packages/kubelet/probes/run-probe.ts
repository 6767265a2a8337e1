import type { Container, EphemeralContainer, Probe } from '@kubernode/api/core/v1';
import { CriError, type Cri } from '@kubernode/api/cri';
import type { Clock } from '@kubernode/machinery';
import { expand } from '../env/expand.ts';
import { grpcProbe } from './grpc-probe.ts';
import { httpProbe, httpTarget } from './http-probe.ts';
import type { ProbeOutcome } from './probe-outcome.ts';
import { tcpProbe } from './tcp-probe.ts';

export interface ProbeTarget {
  readonly container: Container | EphemeralContainer;
  readonly containerId: string;
  readonly podIp: string;
}

/** Runs a probe once. Throws when it could not be run at all, which is no verdict. */
export async function runProbe(cri: Cri, clock: Clock, probe: Probe, target: ProbeTarget): Promise<ProbeOutcome> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  if (probe.exec) return execProbe(cri, probe.exec.command ?? [], target, timeoutMs);
  const timeout = new AbortController();
  const cancel = clock.after(timeoutMs, () => timeout.abort());
  try {
    if (probe.httpGet) {
      const port = resolvePort(probe.httpGet.port, target.container);
      return await httpProbe(httpTarget(probe.httpGet, port, target.podIp), timeout.signal);
    }
    if (probe.tcpSocket) {
      const port = resolvePort(probe.tcpSocket.port, target.container);
      return await tcpProbe(probe.tcpSocket.host || target.podIp, port, timeout.signal);
    }
    if (probe.grpc) {
      const { port, service = '', mode } = probe.grpc;
      return await grpcProbe({ host: target.podIp, port, service, tls: mode === 'TLS' }, timeoutMs);
    }
    throw new Error(`missing probe handler for container ${target.container.name}`);
  } finally {
    cancel();
  }
}

async function execProbe(
  cri: Cri,
  command: readonly string[],
  { container, containerId }: ProbeTarget,
  timeoutMs: number,
): Promise<ProbeOutcome> {
  const values = new Map((container.env ?? []).map(({ name, value }) => [name, value]));
  const cmd = command.map((part) => expand(part, (name) => values.get(name)));
  try {
    const answer = await cri.execSync({ containerId, cmd, timeout: Math.ceil(timeoutMs / 1000) });
    const output = Buffer.concat([answer.stdout, answer.stderr])
      .subarray(0, 10 * 1024)
      .toString('utf8');
    return { healthy: answer.exitCode === 0, output };
  } catch (error) {
    if (error instanceof CriError && error.code === 'DeadlineExceeded') {
      return { healthy: false, output: `command timed out: "${cmd.join(' ')}" timed out after ${timeoutMs / 1000}s` };
    }
    throw error;
  }
}

/** A port by number or by the name that the container gives it. */
export function resolvePort(port: number | string, { name, ports = [] }: Container | EphemeralContainer): number {
  const number =
    typeof port === 'number' ? port : (ports.find((named) => named.name === port)?.containerPort ?? Number(port));
  if (Number.isInteger(number) && number > 0 && number < 65_536) return number;
  throw new Error(`couldn't find port: "${port}" in container ${name}`);
}
