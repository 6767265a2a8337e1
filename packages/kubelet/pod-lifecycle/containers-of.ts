import type { Container, EphemeralContainer, Pod } from '@kubernode/api/core/v1';

/** A sidecar: an init container that keeps running (KEP 753). */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

export type ContainerKind = 'init' | 'regular' | 'ephemeral';

/** The spec of a container of any kind, by name. */
export function findContainer(
  pod: Pod,
  name: string,
): { readonly kind: ContainerKind; readonly container: Container | EphemeralContainer } | undefined {
  const regular = pod.spec.containers.find((container) => container.name === name);
  if (regular) return { kind: 'regular', container: regular };
  const init = pod.spec.initContainers?.find((container) => container.name === name);
  if (init) return { kind: 'init', container: init };
  const ephemeral = pod.spec.ephemeralContainers?.find((container) => container.name === name);
  return ephemeral && { kind: 'ephemeral', container: ephemeral };
}

/** The field path of a container, as events point to it: `spec.containers{web}`. */
export function containerFieldPath(pod: Pod, name: string): string {
  const kind = findContainer(pod, name)?.kind ?? 'regular';
  const lists = { regular: 'containers', init: 'initContainers', ephemeral: 'ephemeralContainers' };
  return `spec.${lists[kind]}{${name}}`;
}

/** `web_default(1234-…)`: how log lines and events name a pod. */
export function formatPod(pod: Pod): string {
  return `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
}
