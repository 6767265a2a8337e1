import { isReason, type Transport } from '@kubernode/api';
import type { Lease } from '@kubernode/api/coordination/v1';
import type { LeaseCandidate } from '@kubernode/api/coordination/v1beta1';
import { formatMicroTime, type Clock, type Logger } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import { candidateMs, electionMs, nextStep } from './election.ts';

export interface LeaderElectionOptions {
  readonly state: ClusterState;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const group = 'coordination.k8s.io';
const settleMs = 10;

/**
 * Elects the holders of Leases that LeaseCandidates stand for, until the signal aborts: behind the gate
 * CoordinatedLeaderElection. Candidates that are gone for good are deleted.
 */
export function startLeaderElection(options: LeaderElectionOptions): void {
  const { state, clock, log, signal } = options;
  const timers = new Map<string, () => void>();
  const working = new Set<string>();
  const schedule = (key: string, afterMs: number) => {
    if (signal.aborted || working.has(key)) return;
    timers.get(key)?.();
    timers.set(
      key,
      clock.after(afterMs, () => void work(key)),
    );
  };
  const work = async (key: string) => {
    timers.delete(key);
    working.add(key);
    let again = true;
    try {
      again = await elect(options, key);
    } catch (error) {
      if (!signal.aborted) log.warn('an election came to nothing', { lease: key, error: String(error) });
    }
    working.delete(key);
    if (again) schedule(key, electionMs);
  };
  const collect = () => {
    timers.set(
      '',
      clock.after(candidateMs, () => {
        deleteGone(options)
          .catch((error: unknown) => log.warn('lease candidates were not deleted', { error: String(error) }))
          .finally(() => {
            if (!signal.aborted) collect();
          });
      }),
    );
  };
  const stops = [
    state.onChange(group, 'leasecandidates', (object) => {
      const { spec, metadata } = object as unknown as LeaseCandidate;
      schedule(`${metadata.namespace}/${spec.leaseName}`, settleMs);
    }),
    state.onName(group, 'leases', (name, namespace) => {
      const key = `${namespace}/${name}`;
      if (timers.has(key)) schedule(key, settleMs);
    }),
  ];
  for (const { metadata, spec } of candidatesOf(state)) schedule(`${metadata.namespace}/${spec.leaseName}`, settleMs);
  collect();
  signal.addEventListener(
    'abort',
    () => {
      for (const stop of stops) stop();
      for (const cancel of timers.values()) cancel();
    },
    { once: true },
  );
}

/** One step of a lease's election; whether it is to be looked at again. */
async function elect({ state, transport, clock }: LeaderElectionOptions, key: string): Promise<boolean> {
  const [namespace = '', name = ''] = key.split('/');
  const lease = state.get(group, 'leases', name, namespace) as Lease | undefined;
  const candidates = candidatesOf(state, namespace).filter(({ spec }) => spec.leaseName === name);
  const nowMs = clock.now();
  const step = nextStep(lease, candidates, nowMs);
  switch (step.do) {
    case 'nothing':
      return false;
    case 'wait':
      return true;
    case 'ask':
      await Promise.all(
        step.candidates.map((candidate) => {
          const spec = { ...candidate.spec, pingTime: formatMicroTime(nowMs) };
          const path = `/apis/${group}/v1beta1/namespaces/${namespace}/leasecandidates/${candidate.metadata.name}`;
          return put(transport, path, { ...candidate, spec });
        }),
      );
      return true;
    case 'elect': {
      const leases = `/apis/${group}/v1/namespaces/${namespace}/leases`;
      if (lease) await put(transport, `${leases}/${name}`, { ...lease, spec: step.spec });
      else
        await transport.request({
          method: 'POST',
          path: leases,
          body: { metadata: { name, namespace }, spec: step.spec },
        });
      return true;
    }
  }
}

/** What was changed or deleted meanwhile is for the next step. */
async function put(transport: Transport, path: string, body: object): Promise<void> {
  try {
    await transport.request({ method: 'PUT', path, body });
  } catch (error) {
    if (!isReason(error, 'Conflict') && !isReason(error, 'NotFound')) throw error;
  }
}

async function deleteGone({ state, transport, clock }: LeaderElectionOptions): Promise<void> {
  const gone = candidatesOf(state).filter(({ spec }) => {
    const renewedMs = spec.renewTime ? Date.parse(spec.renewTime) : 0;
    return renewedMs + candidateMs < clock.now();
  });
  for (const { metadata } of gone) {
    const path = `/apis/${group}/v1beta1/namespaces/${metadata.namespace}/leasecandidates/${metadata.name}`;
    try {
      await transport.request({ method: 'DELETE', path });
    } catch (error) {
      if (!isReason(error, 'NotFound')) throw error;
    }
  }
}

const candidatesOf = (state: ClusterState, namespace?: string) =>
  state.list(group, 'leasecandidates', namespace) as unknown as readonly LeaseCandidate[];
