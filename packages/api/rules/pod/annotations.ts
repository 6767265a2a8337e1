import type { AppArmorProfile, Container, Pod, PodSpec, SeccompProfile } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid } from '../cause.ts';
import { toleration } from './scheduling.ts';
import { localDescendingPath } from './paths.ts';

type Annotations = Readonly<Record<string, string>>;

const mirror = 'kubernetes.io/config.mirror';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const tolerations = 'scheduler.alpha.kubernetes.io/tolerations';
const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';
const appArmorContainer = 'container.apparmor.security.beta.kubernetes.io/';

/** Every container, with its path, in the order in which they are declared: init, main, ephemeral. */
export function containersAt(spec: PodSpec, path: string): { readonly container: Container; readonly at: string }[] {
  const all: { container: Container; at: string }[] = [];
  for (const name of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    spec[name]?.forEach((container, index) => all.push({ container, at: `${path}.${name}[${index}]` }));
  }
  return all;
}

/** What annotations with a meaning for pods must keep (ValidatePodSpecificAnnotations). */
export function podAnnotations(annotations: Annotations, spec: PodSpec, path: string): FieldCause[] {
  const found: FieldCause[] = [];
  const mirrored = annotations[mirror];
  if (mirrored !== undefined && !spec.nodeName) {
    const detail = 'must set spec.nodeName if mirror pod annotation is set';
    found.push(invalid(`${path}[${mirror}]`, mirrored, detail));
  }
  if (annotations[tolerations]) found.push(...tolerationsIn(annotations[tolerations], path));
  const cost = annotations[deletionCost];
  if (cost !== undefined && !isCost(cost))
    found.push(invalid(`${path}[${deletionCost}]`, cost, 'must be a 32bit integer'));
  let names: ReadonlySet<string> | undefined;
  for (const [key, value] of Object.entries(annotations)) {
    if (key === seccompPod || key.startsWith(seccompContainer)) found.push(...seccompCauses(value, `${path}.${key}`));
    if (!key.startsWith(appArmorContainer)) continue;
    const name = key.slice(appArmorContainer.length);
    const at = `${path}[${key}]`;
    names ??= new Set(containersAt(spec, '').map(({ container }) => container.name));
    if (!names.has(name)) found.push(invalid(at, name, 'container not found'));
    if (value && value !== 'runtime/default' && value !== 'unconfined' && !value.startsWith('localhost/'))
      found.push(invalid(at, value, `invalid AppArmor profile name: ${JSON.stringify(value)}`));
  }
  return found;
}

/** A 32-bit number, without a plus sign and leading zeros. */
const isCost = (text: string) => /^(0|-?[1-9]\d*)$/.test(text) && Math.abs(Number(text)) < 2 ** 31;

function tolerationsIn(text: string, path: string): readonly FieldCause[] {
  try {
    const list = JSON.parse(text) as never[];
    return list.flatMap((one, index) => toleration(one, `${path}.${tolerations}[${index}]`));
  } catch (error) {
    return [invalid(path, tolerations, (error as Error).message)];
  }
}

function seccompCauses(profile: string, path: string): readonly FieldCause[] {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return [];
  if (profile.startsWith('localhost/')) return localDescendingPath(profile.slice('localhost/'.length), path);
  return [invalid(path, profile, 'must be a valid seccomp profile')];
}

/** What an update may not do to annotations with a meaning for the kubelet. */
export function podAnnotationsUpdate(pod: Pod, old: Pod): FieldCause[] {
  const path = 'metadata.annotations';
  const after: Annotations = pod.metadata.annotations ?? {};
  const before: Annotations = old.metadata.annotations ?? {};
  const found: FieldCause[] = [];
  for (const [key, value] of Object.entries(before)) {
    if (after[key] === value) continue;
    if (key.startsWith(appArmorContainer))
      found.push(forbidden(`${path}[${key}]`, 'may not remove or update AppArmor annotations'));
    if (key === mirror) found.push(forbidden(`${path}[${key}]`, 'may not remove or update mirror pod annotation'));
  }
  for (const key of Object.keys(after)) {
    if (Object.hasOwn(before, key)) continue;
    if (key.startsWith(appArmorContainer)) found.push(forbidden(`${path}[${key}]`, 'may not add AppArmor annotations'));
    if (key === mirror) found.push(forbidden(`${path}[${key}]`, 'may not add mirror pod annotation'));
  }
  return found;
}

interface Profile {
  type: string;
  localhostProfile?: string | undefined;
}

/** The old annotations, which older kubelets read, and the fields say the same of a profile. */
export function profilesAgree({ metadata, spec }: Pod): FieldCause[] {
  const { annotations } = metadata;
  // Nearly no pod says anything of profiles in this way.
  if (!annotations) return [];
  const { securityContext } = spec;
  const found: FieldCause[] = [];
  const seccomp = (profile: SeccompProfile | undefined, key: string, at: string) => {
    if (profile) found.push(...disagreement(profile, annotations[key], `${at}.seccompProfile`, 'seccomp'));
  };
  seccomp(securityContext?.seccompProfile, seccompPod, 'spec.securityContext');
  const containers = containersAt(spec, 'spec');
  for (const { container, at } of containers)
    seccomp(container.securityContext?.seccompProfile, seccompContainer + container.name, `${at}.securityContext`);
  if (spec.os?.name === 'windows') return found;
  for (const { container, at } of containers) {
    const profile = container.securityContext?.appArmorProfile ?? securityContext?.appArmorProfile;
    const annotation = annotations[appArmorContainer + container.name];
    const field = `${at}.securityContext.appArmorProfile`;
    if (profile) found.push(...disagreement(profile, annotation, field, 'apparmor'));
  }
  return found;
}

function disagreement(profile: Profile, annotation: string | undefined, at: string, what: string): FieldCause[] {
  if (annotation === undefined) return [];
  const other = forbidden(`${at}.type`, `${what} type in annotation and field must match`);
  if (profile.type === 'Unconfined') return annotation === 'unconfined' ? [] : [other];
  if (profile.type === 'RuntimeDefault') {
    const isDefault = annotation === 'runtime/default' || (what === 'seccomp' && annotation === 'docker/default');
    return isDefault ? [] : [other];
  }
  if (profile.type !== 'Localhost') return [];
  if (!annotation.startsWith('localhost/')) return [other];
  if (annotation.slice('localhost/'.length) === profile.localhostProfile) return [];
  return [forbidden(`${at}.localhostProfile`, `${what} profile in annotation and field must match`)];
}

/** Takes AppArmor profiles of annotations over into the fields, and says so. */
export function takeOverAppArmor({ metadata, spec }: Pod): void {
  const { annotations } = metadata;
  if (!annotations || spec.os?.name === 'windows') return;
  for (const { container } of containersAt(spec, '')) {
    const annotation = annotations[appArmorContainer + container.name];
    if (annotation === undefined || container.securityContext?.appArmorProfile) continue;
    const profile = appArmorField(annotation);
    if (!profile || isSame(profile, spec.securityContext?.appArmorProfile)) continue;
    container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
}

/** Which annotations about AppArmor are still relied on, of a pod whose fields have taken them over. */
export function appArmorWarnings({ metadata, spec }: Pod): string[] {
  const { annotations } = metadata;
  if (!annotations || spec.os?.name === 'windows') return [];
  return containersAt(spec, '').flatMap(({ container }) => {
    const key = appArmorContainer + container.name;
    const annotation = annotations[key];
    if (annotation === undefined) return [];
    const profile = appArmorField(annotation);
    const { appArmorProfile: own } = container.securityContext ?? {};
    if (own ? !profile || !isSame(profile, own) : profile) return [];
    return [`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`];
  });
}

const isSame = (one: Profile, other: Profile | undefined) =>
  one.type === other?.type && one.localhostProfile === other.localhostProfile;

/** The field that says what the annotation does; undefined where there is none that is valid. */
function appArmorField(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith('localhost/')) return undefined;
  const localhostProfile = annotation.slice('localhost/'.length);
  return localhostProfile && localhostProfile === localhostProfile.trim()
    ? { type: 'Localhost', localhostProfile }
    : undefined;
}
