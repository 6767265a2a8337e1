/**
 * What the container runtime knows of one pod, in the form the decisions read: no CRI message, no IO. Made by
 * `cri/runtime-state.ts`; both lists have the newest first.
 */
export interface RuntimePod {
  readonly sandboxes: readonly RuntimeSandbox[];
  readonly containers: readonly RuntimeContainer[];
  /** Of the newest ready sandbox; empty for pods on the host's network. */
  readonly ips: readonly string[];
}

export interface RuntimeSandbox {
  readonly id: string;
  readonly attempt: number;
  readonly ready: boolean;
  readonly createdAtMs: number;
  readonly hostNetwork: boolean;
  readonly ips: readonly string[];
}

export type RuntimeContainerState = 'created' | 'running' | 'exited' | 'unknown';

export interface RuntimeContainer {
  /** As the runtime names it, without the `containerd://` in front. */
  readonly id: string;
  readonly name: string;
  readonly sandboxId: string;
  readonly attempt: number;
  readonly state: RuntimeContainerState;
  /** What the pod asked for. */
  readonly image: string;
  /** The digest form that the API shows as `imageID`. */
  readonly imageRef: string;
  /** Of the container's spec at creation (see `hash.ts`). */
  readonly hash: string;
  readonly createdAtMs: number;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly logPath: string;
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
}

export const emptyRuntimePod: RuntimePod = { sandboxes: [], containers: [], ips: [] };

/** The newest container with that name. */
export function latestContainer(runtime: RuntimePod, name: string): RuntimeContainer | undefined {
  return runtime.containers.find((container) => container.name === name);
}

/** Containers that may still have a process. */
export function liveContainers(runtime: RuntimePod): readonly RuntimeContainer[] {
  return runtime.containers.filter(({ state }) => state === 'running' || state === 'unknown');
}
