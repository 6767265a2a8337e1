import { completeCri, CriError, criMethods, type Cri, type CriImplementation, type CriInit } from '@kubernode/api/cri';
import type { Clock } from '@kubernode/machinery';

/** How a container of an image behaves once it is started. */
export interface Behaviour {
  /** Ends by itself after that time; without it, it runs until it is stopped. */
  readonly endsAfterMs?: number;
  readonly exitCode?: number;
}

interface SimulatedContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: CriInit<'ContainerConfig'>;
  readonly createdAtMs: number;
  state: 'CONTAINER_CREATED' | 'CONTAINER_RUNNING' | 'CONTAINER_EXITED';
  startedAtMs: number;
  finishedAtMs: number;
  exitCode: number;
  cancel: () => void;
}

interface SimulatedSandbox {
  readonly id: string;
  readonly config: CriInit<'PodSandboxConfig'>;
  readonly createdAtMs: number;
  readonly ip: string;
  state: 'SANDBOX_READY' | 'SANDBOX_NOTREADY';
}

export interface SimulatedRuntime {
  readonly cri: Cri;
  /** What containers of an image do; the image is local from then on. */
  image(name: string, behaviour?: Behaviour): void;
  /** Makes a call fail from now on; undefined: it works again. */
  fail(method: keyof Cri, error: CriError | undefined): void;
  /** What was asked of the runtime, in words: `start web`, `stop web 30`. */
  readonly transcript: string[];
  /** Ends a running container by its name. */
  end(name: string, exitCode: number): void;
  /** Breaks a pod's sandbox, as a reboot would. */
  breakSandboxes(): void;
  readonly runningNames: readonly string[];
  readonly configOf: (name: string) => CriInit<'ContainerConfig'> | undefined;
}

const nanosecondsPerMs = 1_000_000;

/** A container runtime in memory, as an external system: deterministic, and its time is the clock's. */
export function simulatedRuntime(clock: Clock): SimulatedRuntime {
  const simulation = new Simulation(clock);
  return {
    cri: completeCri(simulation.implementation()),
    image: (name, behaviour = {}) => simulation.images.set(name, behaviour),
    fail: (method, error) => simulation.setFailure(method, error),
    transcript: simulation.transcript,
    end: (name, exitCode) => {
      for (const container of simulation.containers.values()) {
        if (container.config.metadata?.name === name) simulation.exit(container, exitCode);
      }
    },
    breakSandboxes: () => simulation.breakSandboxes(),
    get runningNames() {
      return [...simulation.containers.values()]
        .filter(({ state }) => state === 'CONTAINER_RUNNING')
        .map(({ config }) => config.metadata?.name ?? '');
    },
    configOf: (name) =>
      [...simulation.containers.values()].findLast(({ config }) => config.metadata?.name === name)?.config,
  };
}

class Simulation {
  readonly images = new Map<string, Behaviour>();
  readonly sandboxes = new Map<string, SimulatedSandbox>();
  readonly containers = new Map<string, SimulatedContainer>();
  readonly transcript: string[] = [];
  readonly #clock: Clock;
  readonly #failures = new Map<string, CriError>();
  readonly #followers = new Set<(podUid: string) => void>();
  #ids = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  setFailure(method: string, error: CriError | undefined): void {
    if (error) this.#failures.set(method, error);
    else this.#failures.delete(method);
  }

  exit(container: SimulatedContainer, exitCode: number): void {
    if (container.state !== 'CONTAINER_RUNNING') return;
    container.cancel();
    Object.assign(container, { state: 'CONTAINER_EXITED', exitCode, finishedAtMs: this.#clock.now() });
    this.#tell(container.sandboxId);
  }

  breakSandboxes(): void {
    for (const container of this.containers.values()) this.exit(container, 137);
    for (const sandbox of this.sandboxes.values()) {
      sandbox.state = 'SANDBOX_NOTREADY';
      this.#tell(sandbox.id);
    }
  }

  implementation(): CriImplementation {
    const calls: Partial<CriImplementation> = {
      ...this.#sandboxCalls(),
      ...this.#containerCalls(),
      ...this.#otherCalls(),
    };
    const implementation: Record<string, unknown> = {};
    for (const [name, { stream }] of Object.entries(criMethods)) {
      const call = calls[name as keyof CriImplementation] as ((...args: unknown[]) => Promise<object>) | undefined;
      implementation[name] = stream
        ? call
        : async (...args: unknown[]) => {
            const failure = this.#failures.get(name);
            if (failure) throw failure;
            if (!call) throw new CriError('Unimplemented', `${name} is not part of the simulation`);
            return call(...args);
          };
    }
    return implementation as unknown as CriImplementation;
  }

  #sandboxCalls(): Partial<CriImplementation> {
    return {
      runPodSandbox: async ({ config = {} }) => {
        const id = `sandbox-${++this.#ids}`;
        const ip = `10.1.0.${this.#ids}`;
        const sandbox = { id, config, ip, createdAtMs: this.#now(), state: 'SANDBOX_READY' as const };
        this.sandboxes.set(id, sandbox);
        this.transcript.push(`sandbox ${config.metadata?.name}#${config.metadata?.attempt ?? 0}`);
        return { podSandboxId: id };
      },
      stopPodSandbox: async ({ podSandboxId }) => {
        for (const container of this.containers.values()) {
          if (container.sandboxId === podSandboxId) this.exit(container, 137);
        }
        const sandbox = this.#find(this.sandboxes, podSandboxId);
        if (sandbox.state === 'SANDBOX_READY') this.transcript.push(`stop-sandbox ${sandbox.config.metadata?.name}`);
        sandbox.state = 'SANDBOX_NOTREADY';
        return {};
      },
      removePodSandbox: async ({ podSandboxId }) => {
        this.sandboxes.delete(podSandboxId);
        return {};
      },
      listPodSandbox: async ({ filter }) => ({
        items: [...this.sandboxes.values()]
          .filter(({ config }) => matches(config.labels, filter?.labelSelector))
          .map(({ id, config, state }) => ({ id, metadata: config.metadata, labels: config.labels, state })),
      }),
      podSandboxStatus: async ({ podSandboxId }) => {
        const { id, config, state, createdAtMs, ip } = this.#find(this.sandboxes, podSandboxId);
        const network = config.linux?.securityContext?.namespaceOptions?.network;
        return {
          status: {
            id,
            state,
            metadata: config.metadata,
            labels: config.labels,
            createdAt: createdAtMs * nanosecondsPerMs,
            network: network === 'NODE' ? {} : { ip },
            linux: { namespaces: { options: { network } } },
          },
        };
      },
    };
  }

  #containerCalls(): Partial<CriImplementation> {
    return {
      createContainer: async ({ podSandboxId, config = {} }) => {
        const id = `container-${++this.#ids}`;
        const times = { createdAtMs: this.#now(), startedAtMs: 0, finishedAtMs: 0 };
        const state = 'CONTAINER_CREATED' as const;
        this.containers.set(id, { id, sandboxId: podSandboxId, config, ...times, state, exitCode: 0, cancel() {} });
        return { containerId: id };
      },
      startContainer: async ({ containerId }) => {
        const container = this.#find(this.containers, containerId);
        Object.assign(container, { state: 'CONTAINER_RUNNING', startedAtMs: this.#clock.now() });
        this.transcript.push(`start ${container.config.metadata?.name}`);
        const { endsAfterMs, exitCode = 0 } = this.images.get(container.config.image?.userSpecifiedImage ?? '') ?? {};
        if (endsAfterMs !== undefined) {
          container.cancel = this.#clock.after(endsAfterMs, () => this.exit(container, exitCode));
        }
        this.#tell(container.sandboxId);
        return {};
      },
      stopContainer: async ({ containerId, timeout }) => {
        const container = this.#find(this.containers, containerId);
        this.transcript.push(`stop ${container.config.metadata?.name} ${timeout}`);
        this.exit(container, 143);
        return {};
      },
      removeContainer: async ({ containerId }) => {
        this.containers.delete(containerId);
        return {};
      },
      listContainers: async ({ filter }) => ({
        containers: [...this.containers.values()]
          .filter(({ config }) => matches(config.labels, filter?.labelSelector))
          .map(({ id, sandboxId, config, state }) => ({
            id,
            podSandboxId: sandboxId,
            metadata: config.metadata,
            labels: config.labels,
            annotations: config.annotations,
            state,
          })),
      }),
      containerStatus: async ({ containerId }) => {
        const found = this.#find(this.containers, containerId);
        const { config, state, exitCode } = found;
        return {
          status: {
            id: containerId,
            state,
            exitCode,
            metadata: config.metadata,
            image: {
              image: config.image?.userSpecifiedImage ?? '',
              userSpecifiedImage: config.image?.userSpecifiedImage,
            },
            imageRef: `${config.image?.image}@sha256:0`,
            reason: state === 'CONTAINER_EXITED' ? (exitCode === 0 ? 'Completed' : 'Error') : '',
            labels: config.labels,
            annotations: config.annotations,
            createdAt: found.createdAtMs * nanosecondsPerMs,
            startedAt: found.startedAtMs * nanosecondsPerMs,
            finishedAt: found.finishedAtMs * nanosecondsPerMs,
          },
        };
      },
    };
  }

  #otherCalls(): Partial<CriImplementation> {
    const untagged = (image: string) => image.replace(/:latest$/, '');
    return {
      version: async () => ({ runtimeName: 'simulated', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
      status: async () => ({ status: { conditions: [{ type: 'RuntimeReady', status: true }] } }),
      listImages: async () => ({ images: [...this.images.keys()].map((id) => ({ id, repoTags: [id], size: 1 })) }),
      imageStatus: async ({ image }) => {
        const name = untagged(image?.image ?? '');
        return this.images.has(name) ? { image: { id: name, repoTags: [name], size: 1 } } : {};
      },
      pullImage: async ({ image }) => {
        throw new CriError('NotFound', `${image?.image}: not found`);
      },
      imageFsInfo: async () => ({}),
      execSync: async ({ containerId, cmd }) => {
        const { config } = this.#find(this.containers, containerId);
        this.transcript.push(`exec ${config.metadata?.name} ${cmd.join(' ')}`);
        return { exitCode: cmd[0] === 'false' ? 1 : 0 };
      },
      getContainerEvents: (_request, options) => this.#events(options?.signal),
    };
  }

  async *#events(signal: AbortSignal | undefined): AsyncGenerator<CriInit<'ContainerEventResponse'>> {
    const queue: string[] = [];
    let wake = () => {};
    const follower = (podUid: string) => {
      queue.push(podUid);
      wake();
    };
    this.#followers.add(follower);
    signal?.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!signal?.aborted) {
        const uid = queue.shift();
        if (uid !== undefined) yield { podSandboxStatus: { metadata: { uid } } };
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#followers.delete(follower);
    }
  }

  #tell(sandboxId: string): void {
    const uid = this.sandboxes.get(sandboxId)?.config.metadata?.uid ?? '';
    for (const follower of this.#followers) follower(uid);
  }

  /** Later ones are newer, also within a millisecond. */
  #now(): number {
    return this.#clock.now() + this.#ids / 1_000;
  }

  #find<T>(map: ReadonlyMap<string, T>, id: string): T {
    const found = map.get(id);
    if (!found) throw new CriError('NotFound', `"${id}": not found`);
    return found;
  }
}

function matches(labels: CriInit<'PodSandbox'>['labels'], selector: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(selector).every(([key, value]) => labels?.[key] === value);
}
