import type { Container, Volume } from '@kubernode/api/core/v1';
import { forbiddenSeccompProfile, isGoodSeccompType, unmaskedProc } from './baseline.ts';
import {
  badContainers,
  containersOf,
  named,
  notInUserNamespace,
  notOnWindows,
  quoted,
  setters,
  sorted,
  type Check,
  type CheckPod,
  type CommonContext,
} from './check.ts';

/** Best practice for pods: https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted */
export const restrictedChecks: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    versions: [
      { since: 8, check: privilegeEscalation },
      { since: 25, check: notOnWindows(privilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    versions: [
      { since: 22, check: capabilities },
      { since: 25, check: notOnWindows(capabilities) },
    ],
    overrides: ['capabilities_baseline'],
  },
  { id: 'procMount_restricted', versions: [{ since: 35, check: unmaskedProc }], overrides: ['procMount'] },
  { id: 'restrictedVolumes', versions: [{ since: 0, check: volumeTypes }], overrides: ['hostPathVolumes'] },
  {
    id: 'runAsNonRoot',
    versions: [
      { since: 0, check: runAsNonRoot },
      { since: 35, check: notInUserNamespace(runAsNonRoot) },
    ],
  },
  {
    id: 'runAsUser',
    versions: [
      { since: 23, check: runAsUser },
      { since: 35, check: notInUserNamespace(runAsUser) },
    ],
  },
  {
    id: 'seccompProfile_restricted',
    versions: [
      { since: 19, check: seccompProfile },
      { since: 25, check: notOnWindows(seccompProfile) },
    ],
    overrides: ['seccompProfile_baseline'],
  },
];

function privilegeEscalation({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const bad = badContainers(spec, (context) => context?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  const detail = `${named('container', bad)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
}

function capabilities({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const details: string[] = [];
  const keeping = badContainers(spec, (context) => !(context?.capabilities?.drop ?? []).includes('ALL'));
  if (keeping.length > 0)
    details.push(`${named('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  const addedTo = (container: Container) =>
    (container.securityContext?.capabilities?.add ?? []).filter((name) => name !== 'NET_BIND_SERVICE');
  const adding = containersOf(spec).filter((container) => addedTo(container).length > 0);
  if (adding.length > 0) {
    const names = adding.map(({ name }) => name);
    const what = quoted(sorted(adding.flatMap(addedTo)));
    details.push(`${named('container', names)} must not include ${what} in securityContext.capabilities.add`);
  }
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const satisfies readonly (keyof Volume)[];

function volumeTypes({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((type) => volume[type]));
  if (bad.length === 0) return undefined;
  const typeOf = (volume: Volume) => Object.keys(volume).find((field) => field !== 'name') ?? 'unknown';
  const names = bad.map(({ name }) => name);
  const verb = names.length === 1 ? 'uses' : 'use';
  const types = named('restricted volume type', sorted(bad.map(typeOf)));
  return { reason: 'restricted volume types', detail: `${named('volume', names)} ${verb} ${types}` };
}

function runAsNonRoot({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const reason = 'runAsNonRoot != true';
  const ofPod = spec.securityContext?.runAsNonRoot;
  const who = setters(
    ofPod === false,
    badContainers(spec, (context) => context?.runAsNonRoot === false),
  );
  if (who.length > 0) return { reason, detail: `${who.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  const silent = ofPod ? [] : badContainers(spec, (context) => context?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${named('container', silent)} must set securityContext.runAsNonRoot=true` };
}

function runAsUser({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const isRoot = (context: CommonContext | undefined) => Number(context?.runAsUser ?? -1) === 0;
  const who = setters(isRoot(spec.securityContext), badContainers(spec, isRoot));
  if (who.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${who.join(' and ')} must not set runAsUser=0` };
}

function seccompProfile({ spec }: Parameters<CheckPod>[0]): ReturnType<CheckPod> {
  const forbidden = forbiddenSeccompProfile(spec);
  if (forbidden) return forbidden;
  const ofPod = spec.securityContext?.seccompProfile?.type;
  if (ofPod !== undefined && isGoodSeccompType(ofPod)) return undefined;
  const silent = badContainers(spec, (context) => context?.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  const who = `pod or ${named('container', silent)}`;
  const detail = `${who} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: 'seccompProfile', detail };
}
