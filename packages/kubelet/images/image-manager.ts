import type { Container, EphemeralContainer, Pod, Secret } from '@kubernode/api/core/v1';
import type { Cri, CriInit, Image } from '@kubernode/api/cri';
import { aggregateMessages, formatDuration, type Clock } from '@kubernode/machinery';
import { criErrorText } from '../cri/error-text.ts';
import { FailureBackoff } from '../pod-lifecycle/backoff.ts';
import { credentialsFor } from './credentials.ts';
import { withDefaultTag } from './image-name.ts';

export interface ImageManagerOptions {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly parallelPullsMax: number;
}

export type ImageEvent = (type: 'Normal' | 'Warning', reason: string, message: string) => void;

/** Why there is no image: `reason` is the container's waiting reason. `retryInMs`: when to try again. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  readonly reason: string;
  readonly retryInMs: number | undefined;

  constructor(reason: string, message: string, retryInMs?: number) {
    super(message);
    this.reason = reason;
    this.retryInMs = retryInMs;
  }
}

/** Sees to it that images are on the node: pull policies, back-off, bounded parallel pulls, upstream's events. */
export class ImageManager {
  readonly #options: ImageManagerOptions;
  readonly #backoff = new FailureBackoff({ initialMs: 10_000, maxMs: 300_000 });
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: ImageManagerOptions) {
    this.#options = options;
  }

  /** The local image of a container. Throws ImageError. */
  async ensure(
    pod: Pod,
    container: Container | EphemeralContainer,
    secrets: readonly Secret[],
    sandboxConfig: CriInit<'PodSandboxConfig'>,
    event: ImageEvent,
    signal?: AbortSignal,
  ): Promise<Image> {
    const name = container.image ?? '';
    const image = taggedName(name, event);
    const present = await this.#inspect(image, name, event);
    const policy = container.imagePullPolicy ?? 'IfNotPresent';
    if (present && policy !== 'Always') {
      event('Normal', 'Pulled', `Container image "${name}" already present on machine and can be accessed by the pod`);
      return present;
    }
    if (policy === 'Never') {
      const message = `Container image "${name}" is not present with pull policy of Never`;
      event('Warning', 'ErrImageNeverPull', message);
      throw new ImageError('ErrImageNeverPull', message, 60_000);
    }
    const key = `${pod.metadata.uid}_${name}`;
    const { clock } = this.#options;
    const waitMs = this.#waitMs(key);
    if (waitMs > 0) {
      const message = `Back-off pulling image "${name}"`;
      event('Normal', 'BackOff', message);
      throw new ImageError('ImagePullBackOff', `${message}: ${this.#lastError.get(key) ?? ''}`, waitMs);
    }
    event('Normal', 'Pulling', `Pulling image "${name}"`);
    const askedAtMs = clock.now();
    const release = await this.#slot();
    const beganAtMs = clock.now();
    try {
      await this.#pull({ image, userSpecifiedImage: name }, secrets, sandboxConfig, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      event('Warning', 'Failed', `Failed to pull image "${name}": ${why}`);
      this.#backoff.next(key, clock.now(), clock.now());
      this.#failedAtMs.set(key, clock.now());
      this.#lastError.set(key, `ErrImagePull: ${why}`);
      throw new ImageError('ErrImagePull', why, this.#backoff.delayMs(key));
    } finally {
      release();
    }
    const pulled = await this.#inspect(image, name, event);
    if (!pulled) throw new ImageError('ErrImagePull', `image "${name}" is not there after it was pulled`, 10_000);
    const [own, whole] = [clock.now() - beganAtMs, clock.now() - askedAtMs].map((ms) => formatDuration(ms));
    const text = `Successfully pulled image "${name}" in ${own} (${whole} including waiting).`;
    event('Normal', 'Pulled', `${text} Image size: ${pulled.size} bytes.`);
    return pulled;
  }

  forget(podUid: string): void {
    this.#backoff.forget(`${podUid}_`);
    for (const map of [this.#failedAtMs, this.#lastError]) {
      for (const key of map.keys()) if (key.startsWith(`${podUid}_`)) map.delete(key);
    }
  }

  readonly #failedAtMs = new Map<string, number>();
  readonly #lastError = new Map<string, string>();

  #waitMs(key: string): number {
    const failedAtMs = this.#failedAtMs.get(key);
    return failedAtMs === undefined ? 0 : this.#backoff.remainingMs(key, failedAtMs, this.#options.clock.now());
  }

  async #inspect(image: string, name: string, event: ImageEvent): Promise<Image | undefined> {
    try {
      return (await this.#options.cri.imageStatus({ image: { image, userSpecifiedImage: name } })).image;
    } catch (error) {
      const message = `Failed to inspect image "${name}": ${error instanceof Error ? error.message : String(error)}`;
      event('Warning', 'InspectFailed', message);
      throw new ImageError('ImageInspectError', message, 10_000);
    }
  }

  /** Tries the credentials that fit, one after the other; without any it asks as nobody. */
  async #pull(
    spec: { readonly image: string; readonly userSpecifiedImage: string },
    secrets: readonly Secret[],
    sandboxConfig: CriInit<'PodSandboxConfig'>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const candidates: readonly (CriInit<'AuthConfig'> | undefined)[] = credentialsFor(spec.image, secrets);
    const errors: string[] = [];
    for (const auth of candidates.length > 0 ? candidates : [undefined]) {
      try {
        await this.#options.cri.pullImage({ image: spec, sandboxConfig, ...(auth ? { auth } : {}) }, { signal });
        return;
      } catch (error) {
        errors.push(criErrorText(error));
      }
    }
    throw new Error(aggregateMessages(errors));
  }

  async #slot(): Promise<() => void> {
    if (this.#running >= this.#options.parallelPullsMax) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#running++;
    return () => {
      // A slot is handed on directly, so that nobody comes in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    };
  }
}

function taggedName(name: string, event: ImageEvent): string {
  try {
    return withDefaultTag(name);
  } catch (error) {
    const message = `Failed to apply default image tag "${name}": ${error instanceof Error ? error.message : String(error)}`;
    event('Warning', 'InspectFailed', message);
    throw new ImageError('InvalidImageName', message, 300_000);
  }
}
