import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec } from '@kubernode/api/core/v1';
import { describe, violations, type Level } from './standards.ts';

const restricted: PodSpec = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'a',
      image: 'i',
      resources: {},
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
};

function withContainer(securityContext: NonNullable<PodSpec['containers'][0]['securityContext']>): PodSpec {
  const [container] = restricted.containers;
  return {
    ...restricted,
    containers: [{ ...container!, securityContext: { ...container!.securityContext, ...securityContext } }],
  };
}

const cases: readonly [level: Level, minor: number, spec: PodSpec, expected: string][] = [
  ['privileged', 37, { ...restricted, hostPID: true }, ''],
  ['restricted', 37, restricted, ''],
  ['baseline', 37, { ...restricted, hostPID: true, hostIPC: true }, 'host namespaces (hostPID=true, hostIPC=true)'],
  [
    'baseline',
    37,
    withContainer({ privileged: true, capabilities: { add: ['SYS_TIME', 'CHOWN'] } }),
    'non-default capabilities (container "a" must not include "SYS_TIME" in securityContext.capabilities.add), ' +
      'privileged (container "a" must not set securityContext.privileged=true)',
  ],
  [
    'restricted',
    37,
    { containers: [{ name: 'a' }, { name: 'b' }] as PodSpec['containers'] },
    'allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (containers "a", "b" must set securityContext.capabilities.drop=["ALL"]), ' +
      'runAsNonRoot != true (pod or containers "a", "b" must set securityContext.runAsNonRoot=true), ' +
      'seccompProfile (pod or containers "a", "b" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  // Before 1.8 there was no such field to ask for; windows pods are excused from 1.25 on.
  ['restricted', 7, { ...withContainer({}), containers: [{ name: 'a' }] as PodSpec['containers'] }, ''],
  [
    'restricted',
    24,
    { ...withContainer({ capabilities: {} }), os: { name: 'windows' } },
    'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"])',
  ],
  ['restricted', 25, { ...withContainer({ capabilities: {} }), os: { name: 'windows' } }, ''],
  // The newest version of the standards holds for all later ones.
  [
    'baseline',
    Infinity,
    {
      ...restricted,
      securityContext: {
        sysctls: [
          { name: 'net.ipv4.tcp_rmem', value: '1' },
          { name: 'a.b', value: '1' },
        ],
      },
    },
    'forbidden sysctls (a.b)',
  ],
  [
    'baseline',
    31,
    { ...restricted, securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } },
    'forbidden sysctls (net.ipv4.tcp_rmem)',
  ],
  // What baseline says of hostPath volumes, restricted says in its own words.
  [
    'restricted',
    37,
    { ...restricted, volumes: [{ name: 'v', hostPath: { path: '/' } }] },
    'restricted volume types (volume "v" uses restricted volume type "hostPath")',
  ],
  [
    'baseline',
    37,
    { ...restricted, volumes: [{ name: 'v', hostPath: { path: '/' } }] },
    'hostPath volumes (volume "v")',
  ],
  // A user namespace excuses from 1.35 on, but for proc in restricted.
  ['baseline', 35, { ...withContainer({ procMount: 'Unmasked' }), hostUsers: false }, ''],
  [
    'restricted',
    35,
    { ...withContainer({ procMount: 'Unmasked', runAsUser: 0, runAsNonRoot: false }), hostUsers: false },
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
  ],
];

test('violations names what is not within a level, as the version of the standards has it', () => {
  for (const [level, minor, spec, expected] of cases)
    assert.equal(describe(violations({ level, minor }, { spec })), expected);
});

test('violations sees annotations of profiles', () => {
  const metadata = {
    name: 'p',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: {
      'container.apparmor.security.beta.kubernetes.io/a': 'unconfined',
      'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
    },
  };
  const found = violations({ level: 'baseline', minor: 18 }, { metadata, spec: restricted });
  assert.equal(
    describe(found),
    'forbidden AppArmor profile (annotation must not set AppArmor profile type to ' +
      '"container.apparmor.security.beta.kubernetes.io/a="unconfined""), ' +
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  );
});
