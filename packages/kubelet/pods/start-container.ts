import type { ConfigMap, Container, EphemeralContainer, Pod, Secret } from '@kubernode/api/core/v1';
import type { CriInit, Image } from '@kubernode/api/cri';
import { containerConfig } from '../containers/container-config.ts';
import { runHook } from '../containers/hooks.ts';
import { podLogsDir } from '../containers/sandbox-config.ts';
import { containerEnvironment } from '../env/environment.ts';
import { ImageError } from '../images/image-manager.ts';
import { findContainer } from '../pod-lifecycle/containers-of.ts';
import { latestContainer, type RuntimePod } from '../pod-lifecycle/runtime-pod.ts';
import type { MountedVolume } from '../volumes/volume-manager.ts';
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { killContainer } from './kill-container.ts';
import { containerMounts } from './mounts.ts';
import { containerEvent, type PodContext } from './pod-context.ts';

/** A container did not start: `reason` becomes its waiting reason. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly reason: string;
  readonly retryInMs: number;

  constructor(reason: string, message: string, retryInMs = retryMsDefault) {
    super(message);
    this.reason = reason;
    this.retryInMs = retryInMs;
  }
}

/** Failures without a back-off of their own are tried again after this time (upstream: workerBackOffPeriod). */
const retryMsDefault = 10_000;

/** What is the same for all containers that one sync starts. */
export interface StartInput {
  readonly pod: Pod;
  readonly runtime: RuntimePod;
  readonly sandboxId: string;
  readonly sandboxConfig: CriInit<'PodSandboxConfig'>;
  readonly volumes: ReadonlyMap<string, MountedVolume>;
  readonly pullSecrets: readonly Secret[];
  readonly podIps: readonly string[];
  readonly signal: AbortSignal;
}

/** Image, configuration, creation, start, postStart hook; each step's failure has upstream's reason and event. */
export async function startContainer(
  context: PodContext,
  input: StartInput,
  container: Container | EphemeralContainer,
): Promise<void> {
  const { pod, runtime, signal } = input;
  const event = (type: 'Normal' | 'Warning', reason: string, message: string) =>
    containerEvent(context, pod, container, type, reason, message);
  const fail = (reason: string, error: unknown, retryInMs?: number): StartError => {
    const message = error instanceof Error ? error.message : String(error);
    event('Warning', 'Failed', `Error: ${error instanceof ImageError ? error.reason : message}`);
    return new StartError(reason, message, retryInMs);
  };
  let image: Image;
  try {
    image = await context.images.ensure(pod, container, input.pullSecrets, input.sandboxConfig, event, signal);
  } catch (error) {
    if (error instanceof ImageError) throw fail(error.reason, error, error.retryInMs);
    throw error;
  }
  signal.throwIfAborted();
  const latest = latestContainer(runtime, container.name);
  const attempt = latest ? latest.attempt + 1 : restartsSoFar(pod, container.name);
  let config: CriInit<'ContainerConfig'>;
  try {
    config = await configure(context, input, container, attempt, image);
  } catch (error) {
    throw fail('CreateContainerConfigError', error);
  }
  signal.throwIfAborted();
  const request = { podSandboxId: input.sandboxId, config, sandboxConfig: input.sandboxConfig };
  let containerId: string;
  try {
    await mkdir(join(podLogsDir(context.node.logsDir, pod), container.name), { recursive: true });
    ({ containerId } = await context.cri.createContainer(request));
  } catch (error) {
    throw fail('CreateContainerError', error);
  }
  event('Normal', 'Created', 'Container created');
  try {
    await context.cri.startContainer({ containerId });
  } catch (error) {
    throw fail('RunContainerError', error);
  }
  event('Normal', 'Started', 'Container started');
  await postStart(context, input, container, containerId, attempt);
}

/** The runtime has forgotten the container, but the API may know that there was one. */
function restartsSoFar(pod: Pod, name: string): number {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status;
  const status = [...containerStatuses, ...initContainerStatuses].find((candidate) => candidate.name === name);
  return status?.containerID ? status.restartCount + 1 : (status?.restartCount ?? 0);
}

async function configure(
  context: PodContext,
  { pod, volumes, podIps, runtime }: StartInput,
  container: Container | EphemeralContainer,
  attempt: number,
  image: Image,
): Promise<CriInit<'ContainerConfig'>> {
  const { configMaps, secrets } = await referenced(context, pod, container);
  const { env, skipped } = containerEnvironment(pod, container as Container, {
    services: context.services(),
    allocatable: context.allocatable(),
    podIps,
    hostIps: context.hostIps,
    configMap: (name) => configMaps.get(name),
    secret: (name) => secrets.get(name),
  });
  if (skipped.length > 0) {
    const message = `Keys [${skipped.join(', ')}] from an EnvFrom source were skipped since they are considered invalid environment variable names.`;
    containerEvent(context, pod, container, 'Warning', 'InvalidEnvironmentVariableNames', message);
  }
  const target = 'targetContainerName' in container ? container.targetContainerName : undefined;
  return containerConfig({
    pod,
    container,
    attempt,
    imageRef: image.id,
    imageUser: { uid: image.uid?.value ?? (image.username ? undefined : 0), username: image.username },
    env,
    mounts: await containerMounts(context, pod, container, attempt, volumes, env, podIps),
    node: context.node,
    targetId: target ? latestContainer(runtime, target)?.id : undefined,
  });
}

/** The objects that a container's environment refers to, by name. */
async function referenced({ objects }: PodContext, pod: Pod, container: Container | EphemeralContainer) {
  const { namespace = '', uid } = pod.metadata;
  const configMaps = new Map<string, ConfigMap | undefined>();
  const secrets = new Map<string, Secret | undefined>();
  const sources = [
    ...(container.envFrom ?? []).map(({ configMapRef, secretRef }) => ({ configMapRef, secretRef })),
    ...(container.env ?? []).map(({ valueFrom }) => ({
      configMapRef: valueFrom?.configMapKeyRef,
      secretRef: valueFrom?.secretKeyRef,
    })),
  ];
  for (const { configMapRef, secretRef } of sources) {
    if (configMapRef?.name)
      configMaps.set(configMapRef.name, await objects.configMap(namespace, configMapRef.name, uid));
    if (secretRef?.name) secrets.set(secretRef.name, await objects.secret(namespace, secretRef.name, uid));
  }
  return { configMaps, secrets };
}

async function postStart(
  context: PodContext,
  { pod, podIps, signal }: StartInput,
  container: Container | EphemeralContainer,
  containerId: string,
  attempt: number,
): Promise<void> {
  const handler = container.lifecycle?.postStart;
  if (!handler) return;
  const podIp = podIps[0] ?? '';
  try {
    await runHook(context, handler, { container, containerId, podIp }, signal);
  } catch (error) {
    signal.throwIfAborted();
    containerEvent(context, pod, container, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
    const spec = findContainer(pod, container.name)?.container;
    const running = { id: containerId, name: spec?.name ?? container.name, attempt } as Parameters<
      typeof killContainer
    >[2];
    const graceSeconds = Number(pod.spec.terminationGracePeriodSeconds ?? 30);
    await killContainer(context, pod, running, { graceSeconds, podIp, message: 'FailedPostStartHook' });
    const message = error instanceof Error ? error.message : String(error);
    throw new StartError('PostStartHookError', message);
  }
}
