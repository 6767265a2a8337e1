import { unixId } from '@kubernode/machinery';
import type {
  AppArmorProfile,
  PodSecurityContext,
  SeccompProfile,
  SecurityContext,
} from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid, required as requiredCause } from '../cause.ts';
import { all, each, fields, type Rule, type RuleWithin } from '../rule.ts';
import { maxBytes, oneOf, requiredOneOf } from '../values.ts';
import type { PodContext } from './context.ts';
import { localDescendingPath } from './paths.ts';
import { windowsOptions } from './windows.ts';

const unixIdRule: Rule<number> = (value, path) => unixId(value).map((detail) => invalid(path, value, detail));

type Profile = { readonly type?: string | undefined; readonly localhostProfile?: string | undefined };

/** A profile of a file on the node names the file; the others must not. */
const localhostProfile: Rule<Profile> = ({ type, localhostProfile: file }, path) => {
  const at = `${path}.localhostProfile`;
  if (type === 'Localhost') {
    if (file === undefined) return [requiredCause(at, 'must be set when seccomp type is Localhost')];
    return localDescendingPath(file, at);
  }
  return file === undefined ? [] : [invalid(at, file, 'can only be set when seccomp type is Localhost')];
};

const seccompProfile: Rule<SeccompProfile> = all<SeccompProfile>(
  fields<SeccompProfile>({ type: requiredOneOf('Localhost', 'RuntimeDefault', 'Unconfined') }),
  localhostProfile as Rule<SeccompProfile>,
);

const appArmorBytesMax = 4095;

const appArmorProfile: Rule<AppArmorProfile> = (profile, path) => {
  const { type, localhostProfile: file } = profile;
  const at = `${path}.localhostProfile`;
  const found = [...requiredOneOf('Localhost', 'RuntimeDefault', 'Unconfined')(type, `${path}.type`)];
  if (found.length > 0) return found;
  if (type === 'Localhost') {
    if (!file) return [requiredCause(at, 'must be set when AppArmor type is Localhost')];
    const padded = file === file.trim() ? [] : [invalid(at, file, 'must not be padded with whitespace')];
    return [...padded, ...maxBytes(appArmorBytesMax)(file, at)];
  }
  return file === undefined ? [] : [invalid(at, file, 'can only be set when AppArmor type is Localhost')];
};

/** A container's own security context, on an operating system that has it. */
export const containerSecurityContext = all<SecurityContext, PodContext>(
  fields<SecurityContext>({
    runAsUser: unixIdRule,
    runAsGroup: unixIdRule,
    procMount: oneOf('Default', 'Unmasked'),
    seccompProfile,
    appArmorProfile,
    windowsOptions,
  }),
  ({ procMount }, path, _old, { spec }) =>
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
);

const sysctlName = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const ofTheHost = { hostNetwork: /^net[./]/, hostIPC: /^(kernel[./]shm|kernel[./]msg|kernel[./]sem|fs[./]mqueue[./])/ };

const sysctls: RuleWithin<NonNullable<PodSecurityContext['sysctls']>, PodContext> = (list, path, _old, context) => {
  const { hostNetwork, hostIPC } = context.spec;
  const seen = new Set<string>();
  return list.flatMap(({ name }, index) => {
    const at = `${path}[${index}].name`;
    const found: FieldCause[] = [];
    if (!name) found.push(requiredCause(at));
    else if (name.length > 253 || !sysctlName.test(name)) {
      found.push(invalid(at, name, `must have at most 253 characters and match regex ${sysctlName.source}`));
    } else if (seen.has(name)) found.push(duplicate(at, name));
    seen.add(name);
    if (hostNetwork && ofTheHost.hostNetwork.test(name))
      found.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"));
    else if (hostIPC && ofTheHost.hostIPC.test(name))
      found.push(invalid(at, name, "may not be specified when 'hostIPC' is true"));
    return found;
  });
};

/** The pod's security context. */
export const podSecurityContext = fields<PodSecurityContext, PodContext>({
  runAsUser: unixIdRule,
  runAsGroup: unixIdRule,
  fsGroup: unixIdRule,
  supplementalGroups: each(unixIdRule),
  supplementalGroupsPolicy: oneOf('Merge', 'Strict'),
  fsGroupChangePolicy: oneOf('Always', 'OnRootMismatch'),
  seLinuxChangePolicy: oneOf('MountOption', 'Recursive'),
  sysctls,
  seccompProfile,
  appArmorProfile,
  windowsOptions,
});
