import { unixId } from '@kubernode/machinery';
import type {
  AppArmorProfile,
  PodSecurityContext,
  SeccompProfile,
  SecurityContext,
  WindowsSecurityContextOptions,
} from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, required as requiredCause } from '../cause.ts';
import { all, each, fields, type Rule } from '../rule.ts';
import { oneOf, requiredOneOf } from '../values.ts';
import type { PodContext } from './context.ts';
import { localDescendingPath } from './paths.ts';

const unixIdRule: Rule<number> = (value, path) => unixId(value).map((detail) => invalid(path, value, detail));

type Profile = { readonly type?: string | undefined; readonly localhostProfile?: string | undefined };

/** A profile of a file on the node names the file; the others must not. */
const localhostProfile: Rule<Profile> = ({ type, localhostProfile: file }, path) => {
  const at = `${path}.localhostProfile`;
  if (type === 'Localhost') {
    if (!file) return [requiredCause(at, 'must be set when seccomp type is Localhost')];
    return localDescendingPath(file, at);
  }
  return file === undefined ? [] : [invalid(at, file, 'can only be set when seccomp type is Localhost')];
};

const seccompProfile: Rule<SeccompProfile> = all<SeccompProfile>(
  fields<SeccompProfile>({ type: requiredOneOf('Localhost', 'RuntimeDefault', 'Unconfined') }),
  localhostProfile as Rule<SeccompProfile>,
);

const appArmorProfile: Rule<AppArmorProfile> = (profile, path) => {
  const { type, localhostProfile: file } = profile;
  const at = `${path}.localhostProfile`;
  const found = [...requiredOneOf('Localhost', 'RuntimeDefault', 'Unconfined')(type, `${path}.type`)];
  if (found.length > 0) return found;
  if (type === 'Localhost') {
    const name = file?.trim();
    if (!name) return [requiredCause(at, 'must be set when AppArmor type is Localhost')];
    return file === name ? [] : [invalid(at, file, 'must not be padded with whitespace')];
  }
  return file === undefined ? [] : [invalid(at, file, 'can only be set when AppArmor type is Localhost')];
};

const windowsOptions: Rule<WindowsSecurityContextOptions> = (options, path) => {
  const found: FieldCause[] = [];
  const { gmsaCredentialSpec, gmsaCredentialSpecName, runAsUserName } = options;
  if (gmsaCredentialSpec === '') {
    found.push(invalid(`${path}.gmsaCredentialSpec`, '', 'gmsaCredentialSpec cannot be an empty string'));
  }
  if (gmsaCredentialSpecName !== undefined && !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(gmsaCredentialSpecName)) {
    found.push(invalid(`${path}.gmsaCredentialSpecName`, gmsaCredentialSpecName, 'must be a DNS-1123 subdomain'));
  }
  if (runAsUserName !== undefined) found.push(...windowsUser(runAsUserName, `${path}.runAsUserName`));
  return found;
};

/** DOMAIN\User, each part of a length that Windows takes. */
function windowsUser(value: string, path: string): FieldCause[] {
  if (value === '') return [invalid(path, value, 'runAsUserName cannot be an empty string')];
  const parts = value.split('\\');
  if (parts.length > 2) return [invalid(path, value, 'runAsUserName cannot contain more than one backslash')];
  const user = parts.at(-1) ?? '';
  return user.length > 0 && user.length <= 104
    ? []
    : [invalid(path, value, "runAsUserName's User must not be longer than 104 characters")];
}

/** A container's own security context, on an operating system that has it. */
export function containerSecurityContext(context: PodContext): Rule<SecurityContext> {
  const { spec } = context;
  const isWindows = spec.os?.name === 'windows';
  return all<SecurityContext>(
    fields<SecurityContext>({
      runAsUser: unixIdRule,
      runAsGroup: unixIdRule,
      procMount: oneOf('Default', 'Unmasked'),
      seccompProfile,
      appArmorProfile,
      windowsOptions: all<WindowsSecurityContextOptions>(windowsOptions, (_, path) =>
        isWindows ? [] : [forbidden(path, 'windows options cannot be set for a linux pod')],
      ),
    }),
    ({ procMount }, path) =>
      procMount === 'Unmasked' && spec.hostUsers !== false
        ? [invalid(`${path}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`')]
        : [],
    ({ privileged, allowPrivilegeEscalation, capabilities }, path) => {
      if (allowPrivilegeEscalation !== false) return [];
      const found: FieldCause[] = [];
      const why = 'cannot set `allowPrivilegeEscalation` to false and';
      if (privileged)
        found.push(invalid(path, { privileged, allowPrivilegeEscalation }, `${why} \`privileged\` to true`));
      if (capabilities?.add?.includes('CAP_SYS_ADMIN')) {
        found.push(invalid(path, { capabilities }, `${why} \`capabilities.Add\` CAP_SYS_ADMIN`));
      }
      return found;
    },
    (security, path) => (isWindows ? onlyOnLinux(containerLinuxOnly, security, path) : []),
  );
}

const containerLinuxOnly = [
  'appArmorProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
  'seLinuxOptions',
  'seccompProfile',
];
const podLinuxOnly = [
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
];

function onlyOnLinux(names: readonly string[], security: object, path: string): FieldCause[] {
  return names
    .filter((name) => (security as Record<string, unknown>)[name] !== undefined)
    .map((name) => forbidden(`${path}.${name}`, 'cannot be set for a windows pod'));
}

const sysctlName = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const ofTheHost = { hostNetwork: /^net[./]/, hostIPC: /^(kernel[./]shm|kernel[./]msg|kernel[./]sem|fs[./]mqueue[./])/ };

function sysctls(context: PodContext): Rule<NonNullable<PodSecurityContext['sysctls']>> {
  const { hostNetwork, hostIPC } = context.spec;
  return (list, path) => {
    const seen = new Set<string>();
    return list.flatMap(({ name }, index) => {
      const at = `${path}[${index}].name`;
      if (!name) return [requiredCause(at)];
      if (name.length > 253 || !sysctlName.test(name)) {
        return [invalid(at, name, `must have at most 253 characters and match regex ${sysctlName.source}`)];
      }
      const canonical = name.replaceAll('/', '.');
      if (seen.has(canonical)) return [duplicate(at, name)];
      seen.add(canonical);
      if (hostNetwork && ofTheHost.hostNetwork.test(name))
        return [invalid(at, name, "may not be specified when 'hostNetwork' is true")];
      if (hostIPC && ofTheHost.hostIPC.test(name))
        return [invalid(at, name, "may not be specified when 'hostIPC' is true")];
      return [];
    });
  };
}

/** The pod's security context. */
export function podSecurityContext(context: PodContext): Rule<PodSecurityContext> {
  const isWindows = context.spec.os?.name === 'windows';
  return all<PodSecurityContext>(
    fields<PodSecurityContext>({
      runAsUser: unixIdRule,
      runAsGroup: unixIdRule,
      fsGroup: unixIdRule,
      supplementalGroups: each(unixIdRule),
      supplementalGroupsPolicy: oneOf('Merge', 'Strict'),
      fsGroupChangePolicy: oneOf('Always', 'OnRootMismatch'),
      seLinuxChangePolicy: oneOf('MountOption', 'Recursive'),
      sysctls: sysctls(context),
      seccompProfile,
      appArmorProfile,
      windowsOptions: all<WindowsSecurityContextOptions>(windowsOptions, (_, path) =>
        isWindows ? [] : [forbidden(path, 'windows options cannot be set for a linux pod')],
      ),
    }),
    (security, path) => (isWindows ? onlyOnLinux(podLinuxOnly, security, path) : []),
  );
}
