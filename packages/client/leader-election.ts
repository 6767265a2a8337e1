import { isReason, type KubernetesObject } from '@kubernode/api';
import { Lease, type LeaseSpec } from '@kubernode/api/coordination/v1';
import { formatMicroTime, preciseNow, sleep, type Clock, type Logger } from '@kubernode/machinery';
import type { Client } from './client.ts';
import type { EventRecorder } from './event-recorder.ts';

export interface LeaderElectionOptions {
  readonly client: Client;
  /** Of the Lease: `kube-scheduler` in `kube-system`. */
  readonly name: string;
  readonly namespace: string;
  /** Who this is; different in every process: `host_uid`. */
  readonly identity: string;
  /** How long others wait after the last renewal before they take over. Default 15 s, as upstream's components. */
  readonly leaseDurationMs?: number;
  /** How long a leader that cannot renew stays one; less than the lease's duration. Default 10 s. */
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly recorder?: EventRecorder;
  /** Ends the election; the lease is given up, so that the next leader need not wait. */
  readonly signal: AbortSignal;
  /** Called once this is the leader; its signal aborts when it is no more. */
  readonly onStarted: (leading: AbortSignal) => void;
  /** Called when it is no more, also where `signal` ended it; the lease is given up when what it answers resolves. */
  readonly onStopped: () => void | Promise<void>;
}

/**
 * At most one leader at a time, by the rules of client-go's leaderelection: a holder is judged by when this process saw
 * its record change, so clocks need not agree. Resolves when the leadership is lost or the signal aborts; who wants it
 * again calls again.
 */
export async function runLeaderElection(options: LeaderElectionOptions): Promise<void> {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  if (leaseDurationMs <= renewDeadlineMs || renewDeadlineMs <= retryPeriodMs * jitterFactor) {
    throw new Error(
      `leader election "${options.name}": expected leaseDurationMs > renewDeadlineMs > 1.2 × retryPeriodMs, ` +
        `got ${leaseDurationMs}, ${renewDeadlineMs}, ${retryPeriodMs}`,
    );
  }
  await new Candidate(options, { leaseDurationMs, renewDeadlineMs, retryPeriodMs }).run();
}

const jitterFactor = 1.2;

interface Durations {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

class Candidate {
  readonly #options: LeaderElectionOptions;
  readonly #durations: Durations;
  /** The record as last seen, and when this process saw it change. */
  #observed: Lease | undefined;
  #observedAtMs = 0;

  constructor(options: LeaderElectionOptions, durations: Durations) {
    this.#options = options;
    this.#durations = durations;
  }

  async run(): Promise<void> {
    const { signal, onStarted, onStopped, name, identity, log } = this.#options;
    while (!(await this.#tryOnce()) && !signal.aborted) await this.#pause(jitterFactor);
    if (!this.#isHolder()) return;
    log.info('Became leader', { lease: name, identity });
    this.#tell('became leader');
    const leading = new AbortController();
    try {
      onStarted(leading.signal);
      await this.#renew();
    } finally {
      leading.abort();
      log.info('Stopped leading', { lease: name, identity });
      this.#tell('stopped leading');
      await onStopped();
      await this.#release();
    }
  }

  /** Resolves when the lease was not renewed within the deadline, or the signal aborts. */
  async #renew(): Promise<void> {
    const { clock, signal } = this.#options;
    let renewedMs = clock.now();
    while (!signal.aborted) {
      await this.#pause(0);
      if (signal.aborted) return;
      if (await this.#tryOnce(this.#durations.renewDeadlineMs - (clock.now() - renewedMs))) renewedMs = clock.now();
      else if (clock.now() - renewedMs >= this.#durations.renewDeadlineMs) return;
      else if (this.#observed && !this.#isHolder()) return;
    }
  }

  #pause(jitter: number): Promise<void> {
    const { clock, random, signal } = this.#options;
    return sleep(clock, this.#durations.retryPeriodMs * (1 + jitter * random()), signal).catch(() => {});
  }

  /** Takes or renews the lease; false where another holds it or the server did not answer in time. */
  async #tryOnce(timeoutMs = this.#durations.renewDeadlineMs): Promise<boolean> {
    return this.#within(timeoutMs, this.#acquireOrRenew(), 'Lease not acquired');
  }

  /** False where `work` fails or takes longer. */
  async #within(timeoutMs: number, work: Promise<boolean>, failure: string): Promise<boolean> {
    const { clock, log, name } = this.#options;
    let cancel = () => {};
    const timeout = new Promise<boolean>((resolve) => {
      cancel = clock.after(Math.max(0, timeoutMs), () => resolve(false));
    });
    try {
      return await Promise.race([work, timeout]);
    } catch (error) {
      log.debug(failure, { lease: name, error });
      return false;
    } finally {
      cancel();
    }
  }

  async #acquireOrRenew(): Promise<boolean> {
    const { client, name, namespace, identity, clock, signal } = this.#options;
    if (signal.aborted) return false;
    const current = await this.#read();
    if (current) this.#observe(current);
    const now = clock.now();
    const holder = current?.spec.holderIdentity;
    if (holder && holder !== identity && now < this.#observedAtMs + this.#durationOf(current)) return false;
    const time = formatMicroTime(preciseNow(clock));
    const isRenewal = holder === identity;
    const spec: LeaseSpec = {
      ...current?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#durations.leaseDurationMs / 1000),
      renewTime: time,
      acquireTime: isRenewal ? current?.spec.acquireTime : time,
      leaseTransitions: (current?.spec.leaseTransitions ?? 0) + (current && !isRenewal ? 1 : 0),
    };
    this.#observe(
      current
        ? await client.update(Lease, { ...current, spec })
        : await client.create(Lease, { metadata: { name, namespace }, spec }),
    );
    return true;
  }

  async #read(): Promise<Lease | undefined> {
    const { client, name, namespace } = this.#options;
    try {
      return await client.get(Lease, name, namespace);
    } catch (error) {
      if (isReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #observe(lease: Lease): void {
    if (lease.metadata.resourceVersion === this.#observed?.metadata.resourceVersion) return;
    this.#observed = lease;
    this.#observedAtMs = this.#options.clock.now();
  }

  /** The other's word counts; 1 s is what a leader that steps down leaves. */
  #durationOf(lease: Lease | undefined): number {
    return (lease?.spec.leaseDurationSeconds ?? this.#durations.leaseDurationMs / 1000) * 1000;
  }

  #isHolder(): boolean {
    return this.#observed?.spec.holderIdentity === this.#options.identity;
  }

  async #release(): Promise<void> {
    if (!this.#observed || !this.#isHolder()) return;
    const { client, clock } = this.#options;
    const time = formatMicroTime(preciseNow(clock));
    const { leaseTransitions } = this.#observed.spec;
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: time, acquireTime: time, leaseTransitions };
    const update = client.update(Lease, { ...this.#observed, spec }).then(() => true);
    await this.#within(this.#durations.retryPeriodMs, update, 'Lease not released');
  }

  #tell(what: string): void {
    const { recorder, identity } = this.#options;
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...this.#observed } as KubernetesObject;
    recorder?.event(lease, 'Normal', 'LeaderElection', `${identity} ${what}`);
  }
}
