import type { Container, PodSpec } from '@kubernode/api/core/v1';
import {
  badContainers,
  containersOf,
  named,
  notInUserNamespace,
  plural,
  quoted,
  setters,
  sorted,
  type Check,
  type CheckPod,
  type CommonContext,
} from './check.ts';

/** Prevents known ways to gain privileges: https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline */
export const baselineChecks: readonly Check[] = [
  { id: 'appArmorProfile', versions: [{ since: 0, check: appArmorProfile }] },
  { id: 'capabilities_baseline', versions: [{ since: 0, check: addedCapabilities }] },
  { id: 'hostNamespaces', versions: [{ since: 0, check: hostNamespaces }] },
  { id: 'hostPathVolumes', versions: [{ since: 0, check: hostPathVolumes }] },
  { id: 'hostPorts', versions: [{ since: 0, check: hostPorts }] },
  { id: 'hostProbesAndHostLifecycle', versions: [{ since: 34, check: probeHosts }] },
  { id: 'privileged', versions: [{ since: 0, check: privileged }] },
  {
    id: 'procMount',
    versions: [
      { since: 0, check: unmaskedProc },
      { since: 35, check: notInUserNamespace(unmaskedProc) },
    ],
  },
  {
    id: 'seLinuxOptions',
    versions: [
      { since: 0, check: seLinuxOptions(['', 'container_t', 'container_init_t', 'container_kvm_t']) },
      {
        since: 31,
        check: seLinuxOptions(['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']),
      },
    ],
  },
  {
    id: 'seccompProfile_baseline',
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompProfile },
    ],
  },
  { id: 'sysctls', versions: sysctlVersions() },
  { id: 'windowsHostProcess', versions: [{ since: 0, check: hostProcess }] },
];

const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';

function appArmorProfile({ metadata, spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const values = new Set<string>();
  const isBad = (context: CommonContext | undefined): boolean => {
    const type = context?.appArmorProfile?.type;
    if (type === undefined || type === 'RuntimeDefault' || type === 'Localhost') return false;
    values.add(type);
    return true;
  };
  const who = setters(isBad(spec.securityContext), badContainers(spec, isBad));
  const annotations = Object.entries(metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !/^$|^runtime\/default$|^localhost\//.test(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  if (annotations.length > 0) who.push(plural('annotation', annotations.length));
  if (who.length === 0) return undefined;
  const all = [...sorted(values), ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', all.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoted(all)}`,
  };
}

const defaultCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);

function addedCapabilities({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const beyond = (container: Container) =>
    (container.securityContext?.capabilities?.add ?? []).filter((name) => !defaultCapabilities.has(name));
  const bad = containersOf(spec).filter((container) => beyond(container).length > 0);
  if (bad.length === 0) return undefined;
  const who = named(
    'container',
    bad.map(({ name }) => name),
  );
  const detail = `${who} must not include ${quoted(sorted(bad.flatMap(beyond)))} in securityContext.capabilities.add`;
  return { reason: 'non-default capabilities', detail };
}

function hostNamespaces({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field]);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') };
}

function hostPathVolumes({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  return bad.length === 0 ? undefined : { reason: 'hostPath volumes', detail: named('volume', bad) };
}

function hostPorts({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const portsOf = ({ ports }: Container) =>
    (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = containersOf(spec).filter((container) => portsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  return { reason: 'hostPort', detail: `${uses(bad)} ${listed('hostPort', sorted(bad.flatMap(portsOf)))}` };
}

const uses = (containers: readonly Container[]): string => {
  const names = containers.map(({ name }) => name);
  return `${named('container', names)} ${names.length === 1 ? 'uses' : 'use'}`;
};

const listed = (noun: string, items: readonly string[]): string => `${plural(noun, items.length)} ${items.join(', ')}`;

function probeHosts({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container) =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
      .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
      .filter((host) => host !== undefined && host !== '') as string[];
  const bad = containersOf(spec).filter((container) => hostsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const who = sorted(bad.map(({ name }) => name));
  const hosts = sorted(bad.flatMap(hostsOf));
  const verb = who.length === 1 ? 'uses' : 'use';
  const detail = `${named('container', who)} ${verb} ${named('probe or lifecycle host', hosts)}`;
  return { reason: 'probe or lifecycle host', detail };
}

function privileged({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const bad = badContainers(spec, (context) => context?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${named('container', bad)} must not set securityContext.privileged=true` };
}

/** Also a check of `restricted`, where user namespaces excuse nothing. */
export function unmaskedProc({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const types = new Set<string>();
  const bad = badContainers(spec, (context) => {
    const type = context?.procMount;
    if (type === undefined || type === 'Default') return false;
    types.add(type);
    return true;
  });
  if (bad.length === 0) return undefined;
  const detail = `${named('container', bad)} must not set securityContext.procMount to ${quoted(sorted(types))}`;
  return { reason: 'procMount', detail };
}

function seLinuxOptions(allowed: readonly string[]): CheckPod {
  return ({ spec }) => {
    const types = new Set<string>();
    let [isUser, isRole] = [false, false];
    const isBad = (context: CommonContext | undefined) => {
      const options = context?.seLinuxOptions;
      if (!options) return false;
      const { type = '', user = '', role = '' } = options;
      if (!allowed.includes(type)) types.add(type);
      isUser ||= user !== '';
      isRole ||= role !== '';
      return !allowed.includes(type) || user !== '' || role !== '';
    };
    const who = setters(isBad(spec.securityContext), badContainers(spec, isBad));
    if (who.length === 0) return undefined;
    const what = types.size > 0 ? [named('type', sorted(types))] : [];
    if (isUser) what.push('user may not be set');
    if (isRole) what.push('role may not be set');
    const detail = `${who.join(' and ')} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`;
    return { reason: 'seLinuxOptions', detail };
  };
}

const podSeccomp = 'seccomp.security.alpha.kubernetes.io/pod';
const containerSeccomp = 'container.seccomp.security.alpha.kubernetes.io/';

/** Before 1.19 the profile was an annotation. */
function seccompAnnotations({ metadata, spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const keys = [podSeccomp, ...containersOf(spec).map(({ name }) => containerSeccomp + name)];
  const bad = sorted(
    keys.flatMap((key) => {
      const value = metadata?.annotations?.[key];
      const isGood = value === undefined || /^(runtime|docker)\/default$|^localhost\//.test(value);
      return isGood ? [] : [`${key}=${JSON.stringify(value)}`];
    }),
  );
  return bad.length === 0 ? undefined : { reason: 'seccompProfile', detail: `forbidden ${listed('annotation', bad)}` };
}

export const isGoodSeccompType = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost';

function seccompProfile({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  return forbiddenSeccompProfile(spec);
}

/** Profiles that are named and not allowed, on the pod or its containers. */
export function forbiddenSeccompProfile(spec: PodSpec): ReturnType<CheckPod> {
  const types = new Set<string>();
  const isBad = (context: CommonContext | undefined): boolean => {
    const type = context?.seccompProfile?.type;
    if (type === undefined || isGoodSeccompType(type)) return false;
    types.add(type);
    return true;
  };
  const who = setters(isBad(spec.securityContext), badContainers(spec, isBad));
  if (who.length === 0) return undefined;
  const detail = `${who.join(' and ')} must not set securityContext.seccompProfile.type to ${quoted(sorted(types))}`;
  return { reason: 'seccompProfile', detail };
}

/** Each version allows what the ones before it did, and more. */
function sysctlVersions(): Check['versions'] {
  const added: readonly (readonly [since: number, names: readonly string[]])[] = [
    [
      0,
      [
        'kernel.shm_rmid_forced',
        'net.ipv4.ip_local_port_range',
        'net.ipv4.tcp_syncookies',
        'net.ipv4.ping_group_range',
        'net.ipv4.ip_unprivileged_port_start',
      ],
    ],
    [27, ['net.ipv4.ip_local_reserved_ports']],
    [
      29,
      [
        'net.ipv4.tcp_keepalive_time',
        'net.ipv4.tcp_fin_timeout',
        'net.ipv4.tcp_keepalive_intvl',
        'net.ipv4.tcp_keepalive_probes',
      ],
    ],
    [32, ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']],
    [37, ['net.ipv4.tcp_slow_start_after_idle', 'net.ipv4.tcp_notsent_lowat']],
  ];
  return added.map(([since], index) => {
    const allowed = new Set(added.slice(0, index + 1).flatMap(([, names]) => names));
    const check: CheckPod = ({ spec }) => {
      const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.has(name));
      return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
    };
    return { since, check };
  });
}

function hostProcess({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const isBad = (context: CommonContext | undefined) => context?.windowsOptions?.hostProcess === true;
  const who = setters(isBad(spec.securityContext), badContainers(spec, isBad));
  if (who.length === 0) return undefined;
  const detail = `${who.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`;
  return { reason: 'hostProcess', detail };
}
