import { CriError, type ContainerConfig } from '@kubernode/api/cri';
import type { ImageConfig } from '../images/manifest.ts';
import { containerCapabilities } from './capabilities.ts';
import type { DeviceRule, OciDevice } from './devices.ts';
import type { OciMount } from './mounts.ts';
import { ociResources } from './resources.ts';
import { defaultSeccomp, type SeccompProfile } from './seccomp.ts';
import type { ContainerUser } from './user.ts';

/** Paths of namespaces to join; 'host' to stay in the host's, 'new' to make one. */
export interface SpecNamespaces {
  readonly network: string;
  readonly ipc: string;
  readonly uts: string;
  readonly pid: string;
}

export interface SpecInput {
  readonly config: ContainerConfig;
  readonly image: ImageConfig;
  readonly user: ContainerUser;
  readonly rootPath: string;
  readonly hostname: string;
  readonly namespaces: SpecNamespaces;
  readonly mounts: readonly OciMount[];
  readonly rootPropagation: string;
  readonly devices: readonly OciDevice[];
  readonly deviceRules: readonly DeviceRule[];
  /** Absolute, below the cgroup mount. */
  readonly cgroupsPath: string;
  readonly cgroupVersion: 1 | 2;
  readonly hostCapabilities: ReadonlySet<string>;
  /** Of this process: without CAP_SYS_RESOURCE nothing can go below it. */
  readonly ownOomScoreAdj: number;
  /** The file's profile where the configuration names one (`Localhost`). */
  readonly localSeccomp?: SeccompProfile | undefined;
}

const pathDefault = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The OCI runtime configuration (config.json) of a container. Pure. Throws CriError where it cannot be. */
export function ociSpec(input: SpecInput): Record<string, unknown> {
  const { config, user } = input;
  const security = config.linux?.securityContext;
  const privileged = security?.privileged ?? false;
  const capabilities = containerCapabilities({
    add: security?.capabilities?.addCapabilities ?? [],
    drop: security?.capabilities?.dropCapabilities ?? [],
    privileged,
    host: input.hostCapabilities,
  });
  const ambient = (security?.capabilities?.addAmbientCapabilities ?? []).filter((name) => capabilities.includes(name));
  const seccomp = seccompOf(input, privileged, capabilities);
  return {
    ociVersion: '1.0.2',
    hostname: input.namespaces.uts === 'new' ? input.hostname : undefined,
    process: {
      terminal: config.tty,
      user: { uid: user.uid, gid: user.gid, additionalGids: user.additionalGids },
      args: commandLine(config, input.image),
      env: environment(input),
      cwd: config.workingDir || input.image.config?.WorkingDir || '/',
      capabilities: {
        bounding: capabilities,
        effective: capabilities,
        permitted: capabilities,
        ...(ambient.length > 0 ? { ambient, inheritable: ambient } : {}),
      },
      noNewPrivileges: security?.noNewPrivs ?? false,
      oomScoreAdj: oomScoreAdj(input),
    },
    root: { path: input.rootPath, readonly: security?.readonlyRootfs ?? false },
    mounts: input.mounts,
    linux: {
      namespaces: namespaces(input),
      rootfsPropagation: input.rootPropagation,
      cgroupsPath: input.cgroupsPath,
      devices: input.devices,
      resources: { devices: input.deviceRules, ...ociResources(config.linux?.resources, input.cgroupVersion) },
      maskedPaths: privileged ? [] : (security?.maskedPaths ?? []),
      readonlyPaths: privileged ? [] : (security?.readonlyPaths ?? []),
      ...(seccomp ? { seccomp } : {}),
    },
  };
}

/** A pod's command replaces the image's entry point and command; its args replace the image's command alone. */
function commandLine(config: ContainerConfig, image: ImageConfig): string[] {
  const { Entrypoint, Cmd } = image.config ?? {};
  const head = config.command.length > 0 ? config.command : (Entrypoint ?? []);
  const tail = config.args.length > 0 || config.command.length > 0 ? config.args : (Cmd ?? []);
  const line = [...head, ...tail];
  if (line.length === 0) throw new CriError('InvalidArgument', 'no command specified');
  return line;
}

function environment(input: SpecInput): string[] {
  const { config, image } = input;
  const values = new Map<string, string>();
  const set = (entry: string) => {
    const at = entry.indexOf('=');
    if (at > 0) values.set(entry.slice(0, at), entry.slice(at + 1));
  };
  set(pathDefault);
  if (config.tty) set('TERM=xterm');
  if (input.hostname) set(`HOSTNAME=${input.hostname}`);
  for (const entry of image.config?.Env ?? []) set(entry);
  for (const { key, value } of config.envs) values.set(key, Buffer.from(value).toString());
  return [...values].map(([key, value]) => `${key}=${value}`);
}

function namespaces(input: SpecInput): { type: string; path?: string }[] {
  const list = Object.entries(input.namespaces)
    .filter(([, path]) => path !== 'host')
    .map(([type, path]) => (path === 'new' ? { type } : { type, path: path as string }));
  list.push({ type: 'mount' });
  if (input.cgroupVersion === 2) list.push({ type: 'cgroup' });
  return list;
}

/** A score that this process may not give is raised to what it may: the kubelet's wish is a hint to the kernel. */
function oomScoreAdj(input: SpecInput): number {
  const wanted = input.config.linux?.resources?.oomScoreAdj ?? 0;
  return input.hostCapabilities.has('CAP_SYS_RESOURCE') ? wanted : Math.max(wanted, input.ownOomScoreAdj);
}

function seccompOf(input: SpecInput, privileged: boolean, capabilities: readonly string[]): SeccompProfile | undefined {
  const profile = input.config.linux?.securityContext?.seccomp;
  if (privileged || !profile || profile.profileType === 'Unconfined') return undefined;
  return profile.profileType === 'Localhost' ? input.localSeccomp : defaultSeccomp(capabilities);
}
