import type { PodSpec } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notSupported, required } from '../cause.ts';
import { containersAt } from './annotations.ts';

const names = ['linux', 'windows'];

const ofPod = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const;
const ofContainer = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

/** What a pod of one operating system cannot have of the other; a pod that names none may have all. */
export function operatingSystem(spec: PodSpec, path: string): FieldCause[] {
  const name = spec.os?.name;
  if (!spec.os) return [];
  if (!name) return [required(`${path}.os.name`)];
  if (!names.includes(name)) return [notSupported(`${path}.os`, name, names)];
  return name === 'linux' ? onLinux(spec, path) : onWindows(spec, path);
}

function onLinux(spec: PodSpec, path: string): FieldCause[] {
  const contexts = [{ container: spec, at: path }, ...containersAt(spec, path)];
  return contexts
    .filter(({ container }) => container.securityContext?.windowsOptions)
    .map(({ at }) =>
      forbidden(`${at}.securityContext.windowsOptions`, 'windows options cannot be set for a linux pod'),
    );
}

function onWindows(spec: PodSpec, path: string): FieldCause[] {
  const found: FieldCause[] = [];
  const forbid = (at: string) => found.push(forbidden(at, 'cannot be set for a windows pod'));
  for (const name of ofPod) {
    const value = spec.securityContext?.[name];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) forbid(`${path}.securityContext.${name}`);
  }
  if (spec.hostUsers !== undefined) forbid(`${path}.hostUsers`);
  if (spec.hostPID) forbid(`${path}.hostPID`);
  if (spec.hostIPC) forbid(`${path}.hostIPC`);
  if (spec.shareProcessNamespace !== undefined) forbid(`${path}.shareProcessNamespace`);
  for (const { container, at } of containersAt(spec, path)) {
    for (const name of ofContainer) {
      if (container.securityContext?.[name] !== undefined) forbid(`${at}.securityContext.${name}`);
    }
  }
  return found;
}

/** Containers that run as processes of the host: all or none of a pod's, and on the host's network. */
export function hostProcesses(spec: PodSpec, path: string): FieldCause[] {
  const ofThePod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = containersAt(spec, path);
  const found: FieldCause[] = [];
  let count = 0;
  for (const { container, at } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofThePod !== undefined && own !== undefined && own !== ofThePod) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofThePod}`;
      found.push(invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, detail));
    }
    if (own ?? ofThePod) count += 1;
  }
  if (count === 0) return found;
  if (count !== containers.length) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    found.push(invalid(path, '', detail));
  }
  if (!spec.hostNetwork) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    found.push(invalid(`${path}.hostNetwork`, false, detail));
  }
  return found;
}
