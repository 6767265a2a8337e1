import type { RuntimeContainer } from './runtime-pod.ts';

/** What the probes found out, by container id; undefined: no verdict yet. */
export interface ProbeVerdicts {
  liveness(containerId: string): boolean | undefined;
  readiness(containerId: string): boolean | undefined;
  startup(containerId: string): boolean | undefined;
}

export interface ContainerKill {
  readonly containerId: string;
  readonly name: string;
  /** The text of the Killing event. */
  readonly message: string;
  readonly cause: 'liveness' | 'startup' | 'unknown-state' | 'other';
}

/** Nobody knows whether it runs: it is ended before another one starts. */
export function killUnknown(what: 'Container' | 'Init container', latest: RuntimeContainer): ContainerKill {
  const message = `${what} is in "unknown" state, try killing it before restart`;
  return { containerId: latest.id, name: latest.name, message, cause: 'unknown-state' };
}
