import type { AppArmorProfile, Container, EphemeralContainer, Pod, SeccompProfile } from '@kubernode/api/core/v1';
import type { CriInit } from '@kubernode/api/cri';
import { join } from 'node:path';
import { ContainerConfigError } from '../env/environment.ts';

/** What /proc hides and protects unless `procMount: Unmasked` (upstream: securitycontext). */
const maskedPaths = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const readonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** The user that an image names; nothing is known of an image whose user is a name. */
export interface ImageUser {
  readonly uid: number | undefined;
  readonly username: string;
}

export interface SecurityOptions {
  /** For an ephemeral container: whose processes it sees. */
  readonly targetId?: string | undefined;
  readonly seccompDir: string;
  /** The host has AppArmor; where it has none, profiles mean nothing. */
  readonly appArmor?: boolean;
}

/** Container settings over pod settings over the image's. */
export function containerSecurity(
  pod: Pod,
  container: Container | EphemeralContainer,
  { targetId, seccompDir, appArmor = false }: SecurityOptions,
): CriInit<'LinuxContainerSecurityContext'> {
  const own = container.securityContext ?? {};
  const whole = pod.spec.securityContext ?? {};
  const runAsUser = own.runAsUser ?? whole.runAsUser;
  const runAsGroup = own.runAsGroup ?? whole.runAsGroup;
  const unmasked = own.procMount === 'Unmasked' || (own.privileged ?? false);
  return {
    privileged: own.privileged ?? false,
    ...(own.capabilities
      ? {
          capabilities: {
            addCapabilities: own.capabilities.add ?? [],
            dropCapabilities: own.capabilities.drop ?? [],
          },
        }
      : {}),
    namespaceOptions: namespaceOptions(pod, targetId),
    ...(runAsUser === undefined ? {} : { runAsUser: { value: runAsUser } }),
    ...(runAsGroup === undefined ? {} : { runAsGroup: { value: runAsGroup } }),
    readonlyRootfs: own.readOnlyRootFilesystem ?? false,
    supplementalGroups: supplementalGroups(pod),
    supplementalGroupsPolicy: whole.supplementalGroupsPolicy ?? 'Merge',
    noNewPrivs: noNewPrivileges(container),
    maskedPaths: unmasked ? [] : maskedPaths,
    readonlyPaths: unmasked ? [] : readonlyPaths,
    seccomp: seccomp(own.seccompProfile ?? whole.seccompProfile, seccompDir),
    ...(appArmor ? appArmorProfile(own.appArmorProfile ?? whole.appArmorProfile) : {}),
  };
}

export function namespaceOptions(pod: Pod, targetId?: string): CriInit<'NamespaceOption'> {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace } = pod.spec;
  const pid = hostPID ? 'NODE' : shareProcessNamespace ? 'POD' : targetId ? 'TARGET' : 'CONTAINER';
  return {
    network: hostNetwork ? 'NODE' : 'POD',
    ipc: hostIPC ? 'NODE' : 'POD',
    pid,
    ...(pid === 'TARGET' ? { targetId } : {}),
  };
}

/** Files of the pod's volumes belong to fsGroup: every process is a member. */
export function supplementalGroups(pod: Pod): readonly number[] {
  const { supplementalGroups: groups = [], fsGroup } = pod.spec.securityContext ?? {};
  return fsGroup === undefined ? groups : [...groups, fsGroup];
}

export function seccomp(profile: SeccompProfile | undefined, seccompDir: string): CriInit<'SecurityProfile'> {
  if (!profile || profile.type === 'Unconfined') return { profileType: 'Unconfined' };
  if (profile.type === 'RuntimeDefault') return { profileType: 'RuntimeDefault' };
  const { localhostProfile = '' } = profile;
  if (!localhostProfile || localhostProfile.startsWith('/') || localhostProfile.split('/').includes('..')) {
    throw new ContainerConfigError(`seccomp profile "${localhostProfile}": must be a path below the seccomp folder`);
  }
  return { profileType: 'Localhost', localhostRef: join(seccompDir, localhostProfile) };
}

function appArmorProfile(
  profile: AppArmorProfile | undefined,
): Pick<CriInit<'LinuxContainerSecurityContext'>, 'apparmor'> {
  if (!profile) return {};
  return { apparmor: { profileType: profile.type, localhostRef: profile.localhostProfile ?? '' } };
}

/** Set only where it is forbidden in so many words: a privileged container may gain more anyway. */
function noNewPrivileges({ securityContext }: Container | EphemeralContainer): boolean {
  return securityContext?.allowPrivilegeEscalation === false;
}

/** Throws for `runAsNonRoot` with a user that is root, or of whom nobody knows (upstream's wording). */
export function verifyNonRoot(pod: Pod, container: Container | EphemeralContainer, image: ImageUser): void {
  const own = container.securityContext ?? {};
  const whole = pod.spec.securityContext ?? {};
  if (!(own.runAsNonRoot ?? whole.runAsNonRoot)) return;
  const where = `(pod: "${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})", container: ${container.name})`;
  const uid = own.runAsUser ?? whole.runAsUser;
  if (uid === 0) throw new ContainerConfigError(`container's runAsUser breaks non-root policy ${where}`);
  if (uid !== undefined) return;
  if (image.uid === 0) throw new ContainerConfigError(`container has runAsNonRoot and image will run as root ${where}`);
  if (image.uid === undefined && image.username) {
    throw new ContainerConfigError(
      `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${where}`,
    );
  }
}
