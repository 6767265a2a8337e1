import type { Container, PodSpec } from '@kubernode/api/core/v1';
import type { ObjectMeta } from '@kubernode/api/meta/v1';

/** What a check looks at: a pod, or the template of one. */
export interface PodLike {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: PodSpec;
}

/** Why a pod is not within a level: the short reason, and what is wrong where. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type CheckPod = (pod: PodLike) => Violation | undefined;

/** A rule of the Pod Security Standards (KEP-2579), in each version of them. */
export interface Check {
  readonly id: string;
  /** Ascending: `since` is the minor version 1.x from which on `check` holds. */
  readonly versions: readonly { readonly since: number; readonly check: CheckPod }[];
  /** Of `restricted`: the baseline checks that this one makes superfluous. */
  readonly overrides?: readonly string[];
}

type SecurityContext = NonNullable<Container['securityContext']>;

/** What a pod and a container may both say. */
export type CommonContext = Pick<
  SecurityContext,
  'appArmorProfile' | 'runAsUser' | 'seLinuxOptions' | 'seccompProfile' | 'windowsOptions'
>;

/** Init containers first, ephemeral ones last: the order of upstream's messages. */
export function containersOf({ initContainers, containers, ephemeralContainers }: PodSpec): readonly Container[] {
  return [...(initContainers ?? []), ...containers, ...((ephemeralContainers ?? []) as readonly Container[])];
}

/** Names of the containers whose security context is bad. */
export function badContainers(spec: PodSpec, isBad: (context: SecurityContext | undefined) => boolean): string[] {
  return containersOf(spec)
    .filter(({ securityContext }) => isBad(securityContext))
    .map(({ name }) => name);
}

export const quoted = (items: Iterable<string>): string => [...items].map((item) => `"${item}"`).join(', ');

export const sorted = (items: Iterable<string>): string[] => [...new Set(items)].sort();

/** `container "a"`, `containers "a", "b"` */
export const named = (noun: string, items: readonly string[]): string =>
  `${plural(noun, items.length)} ${quoted(items)}`;

export const plural = (noun: string, count: number): string => (count === 1 ? noun : `${noun}s`);

/** Who set something: the pod, its containers, or both. */
export function setters(isPod: boolean, containers: readonly string[]): string[] {
  return [...(isPod ? ['pod'] : []), ...(containers.length > 0 ? [named('container', containers)] : [])];
}

/** Windows has no such thing: its pods are not asked (from 1.25 on). */
export const notOnWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod);

/** A user namespace keeps the pod's root from being the node's (KEP-127; from 1.35 on). */
export const notInUserNamespace =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);
