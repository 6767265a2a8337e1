import type { Container, EphemeralContainer, LifecycleHandler } from '@kubernode/api/core/v1';
import type { Cri } from '@kubernode/api/cri';
import { sleep, type Clock } from '@kubernode/machinery';
import { httpProbe, httpTarget } from '../probes/http-probe.ts';
import { resolvePort } from '../probes/run-probe.ts';
import { tcpProbe } from '../probes/tcp-probe.ts';

export interface HookTarget {
  readonly container: Container | EphemeralContainer;
  readonly containerId: string;
  readonly podIp: string;
}

/** Runs a lifecycle hook to its end. Throws when it fails, or when the signal ends it. */
export async function runHook(
  { cri, clock }: { readonly cri: Cri; readonly clock: Clock },
  handler: LifecycleHandler,
  { container, containerId, podIp }: HookTarget,
  signal: AbortSignal,
): Promise<void> {
  if (handler.exec) {
    const answer = await cri.execSync({ containerId, cmd: handler.exec.command ?? [], timeout: 0 }, { signal });
    if (answer.exitCode === 0) return;
    const output = Buffer.concat([answer.stdout, answer.stderr]).toString('utf8');
    throw new Error(`command "${handler.exec.command?.join(' ')}" exited with ${answer.exitCode}: ${output}`);
  }
  if (handler.sleep) return sleep(clock, Number(handler.sleep.seconds) * 1000, signal);
  if (handler.httpGet) {
    const port = resolvePort(handler.httpGet.port, container);
    const target = httpTarget(handler.httpGet, port, podIp);
    const headers = { ...target.headers, 'user-agent': 'kube-lifecycle/1.37' };
    const outcome = await httpProbe({ ...target, headers }, signal);
    if (!outcome.healthy) throw new Error(outcome.output);
    return;
  }
  if (handler.tcpSocket) {
    const { port, host } = handler.tcpSocket;
    const outcome = await tcpProbe(host || podIp, resolvePort(port, container), signal);
    if (!outcome.healthy) throw new Error(outcome.output);
    return;
  }
  throw new Error('invalid handler: no action given');
}
