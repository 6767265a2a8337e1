import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeMessage, type CriInit } from '@kubernode/api/cri';
import { containerCapabilities } from './capabilities.ts';
import { runtimeMessage } from './oci-runtime.ts';
import { defaultSeccomp } from './seccomp.ts';
import { stopSignal } from './signals.ts';
import { ociSpec, type SpecInput } from './spec.ts';
import { resolveUser } from './user.ts';

const host = new Set(['CAP_CHOWN', 'CAP_KILL', 'CAP_NET_BIND_SERVICE', 'CAP_NET_RAW', 'CAP_SYS_ADMIN']);

function specOf(config: CriInit<'ContainerConfig'>, more: Partial<SpecInput> = {}) {
  return ociSpec({
    config: completeMessage('ContainerConfig', config),
    image: {
      config: { Entrypoint: ['/entry'], Cmd: ['default'], Env: ['A=image', 'PATH=/bin'], WorkingDir: '/work' },
      rootfs: { diff_ids: [] },
    },
    user: { uid: 1, gid: 2, additionalGids: [2, 3] },
    rootPath: '/root',
    hostname: 'pod',
    namespaces: { network: '/ns/net', ipc: '/ns/ipc', uts: '/ns/uts', pid: 'new' },
    mounts: [],
    rootPropagation: 'rprivate',
    devices: [],
    deviceRules: [],
    cgroupsPath: '/pods/id',
    cgroupVersion: 1,
    hostCapabilities: host,
    ownOomScoreAdj: 0,
    ...more,
  }) as Record<'process' | 'linux' | 'root', Record<string, unknown>>;
}

test('ociSpec describes a container as the OCI runtime specification says', () => {
  const spec = specOf({
    args: ['given'],
    envs: [{ key: 'A', value: Buffer.from('pod') }],
    linux: {
      resources: {
        cpuShares: 102,
        cpuQuota: 20_000,
        cpuPeriod: 100_000,
        memoryLimitInBytes: 1 << 20,
        oomScoreAdj: -998,
      },
      securityContext: { readonlyRootfs: true, noNewPrivs: true, maskedPaths: ['/proc/kcore'] },
    },
  });
  const capabilities = ['CAP_CHOWN', 'CAP_KILL', 'CAP_NET_BIND_SERVICE', 'CAP_NET_RAW'];
  assert.deepEqual(spec.process, {
    terminal: false,
    user: { uid: 1, gid: 2, additionalGids: [2, 3] },
    args: ['/entry', 'given'],
    env: ['PATH=/bin', 'HOSTNAME=pod', 'A=pod'],
    cwd: '/work',
    capabilities: { bounding: capabilities, effective: capabilities, permitted: capabilities },
    noNewPrivileges: true,
    oomScoreAdj: 0,
  });
  assert.deepEqual(spec.root, { path: '/root', readonly: true });
  assert.deepEqual(spec.linux, {
    namespaces: [
      { type: 'network', path: '/ns/net' },
      { type: 'ipc', path: '/ns/ipc' },
      { type: 'uts', path: '/ns/uts' },
      { type: 'pid' },
      { type: 'mount' },
    ],
    rootfsPropagation: 'rprivate',
    cgroupsPath: '/pods/id',
    devices: [],
    resources: { devices: [], cpu: { shares: 102, quota: 20_000, period: 100_000 }, memory: { limit: 1 << 20 } },
    maskedPaths: ['/proc/kcore'],
    readonlyPaths: [],
  });
});

test("ociSpec: the pod's command replaces the image's entry point and command", () => {
  const cases: [CriInit<'ContainerConfig'>, string[]][] = [
    [{}, ['/entry', 'default']],
    [{ args: ['a'] }, ['/entry', 'a']],
    [{ command: ['c'] }, ['c']],
    [{ command: ['c'], args: ['a'] }, ['c', 'a']],
  ];
  for (const [config, args] of cases) assert.deepEqual(specOf(config).process['args'], args);
  assert.throws(() => specOf({}, { image: { rootfs: { diff_ids: [] } } }), /no command specified/);
});

test('ociSpec gives a privileged container all, and no filter', () => {
  const securityContext = {
    privileged: true,
    seccomp: { profileType: 'RuntimeDefault' },
    maskedPaths: ['/x'],
  } as const;
  const spec = specOf({ linux: { securityContext } });
  assert.equal(spec.linux['seccomp'], undefined);
  assert.deepEqual(spec.linux['maskedPaths'], []);
  assert.deepEqual((spec.process['capabilities'] as { bounding: unknown }).bounding, [
    'CAP_CHOWN',
    'CAP_KILL',
    'CAP_NET_BIND_SERVICE',
    'CAP_NET_RAW',
    'CAP_SYS_ADMIN',
  ]);
});

test('containerCapabilities adds to and drops from the defaults', () => {
  const set = (add: string[], drop: string[]) => containerCapabilities({ add, drop, privileged: false, host });
  assert.deepEqual(set([], ['ALL']), []);
  assert.deepEqual(set(['NET_BIND_SERVICE'], ['ALL']), ['CAP_NET_BIND_SERVICE']);
  assert.deepEqual(set(['ALL'], ['KILL', 'cap_chown']), ['CAP_NET_BIND_SERVICE', 'CAP_NET_RAW', 'CAP_SYS_ADMIN']);
  assert.deepEqual(set(['SYS_ADMIN', 'SYS_TIME'], ['NET_RAW']), [
    'CAP_CHOWN',
    'CAP_KILL',
    'CAP_NET_BIND_SERVICE',
    'CAP_SYS_ADMIN',
  ]);
  assert.throws(() => set(['NONSENSE'], []), /unknown capability "CAP_NONSENSE"/);
});

test('defaultSeccomp opens what a capability needs', () => {
  const names = (capabilities: string[]) => defaultSeccomp(capabilities).syscalls.flatMap((rule) => rule.names);
  assert.ok(names([]).includes('openat'));
  assert.ok(!names([]).includes('mount'));
  assert.ok(names(['CAP_SYS_ADMIN']).includes('mount'));
  const clone3 = defaultSeccomp([]).syscalls.find((rule) => rule.names.includes('clone3'));
  assert.deepEqual([clone3?.action, clone3?.errnoRet], ['SCMP_ACT_ERRNO', 38]);
});

test('resolveUser looks names up in the image, and lets the pod outweigh it', () => {
  const accounts = {
    users: [{ name: 'app', uid: 7, gid: 8 }],
    groups: [
      { name: 'web', gid: 9, members: ['app'] },
      { name: 'other', gid: 10, members: [] },
    ],
  };
  const context = (init: CriInit<'LinuxContainerSecurityContext'>) =>
    completeMessage('LinuxContainerSecurityContext', init);
  assert.deepEqual(resolveUser('', undefined, accounts), { uid: 0, gid: 0, additionalGids: [0] });
  assert.deepEqual(resolveUser('app', undefined, accounts), { uid: 7, gid: 8, additionalGids: [8, 9] });
  assert.deepEqual(resolveUser('app:other', undefined, accounts), { uid: 7, gid: 10, additionalGids: [10, 9] });
  const strict = context({ supplementalGroupsPolicy: 'Strict', supplementalGroups: [20], runAsUser: { value: 7 } });
  assert.deepEqual(resolveUser('app', strict, accounts), { uid: 7, gid: 8, additionalGids: [8, 20] });
  const numbers = context({ runAsUser: { value: 5 }, runAsGroup: { value: 6 } });
  assert.deepEqual(resolveUser('app', numbers, accounts), { uid: 5, gid: 6, additionalGids: [6] });
  assert.throws(
    () => resolveUser('nope', undefined, accounts),
    /unable to find user nope: no matching entries in passwd/,
  );
});

test('stopSignal reads all the ways in which signals are named', () => {
  const cases: [Parameters<typeof stopSignal>, number][] = [
    [['SIGNAL_RUNTIME_DEFAULT', undefined], 15],
    [['SIGNAL_RUNTIME_DEFAULT', 'SIGQUIT'], 3],
    [['SIGNAL_RUNTIME_DEFAULT', 'int'], 2],
    [['SIGNAL_RUNTIME_DEFAULT', '10'], 10],
    [['SIGNAL_RUNTIME_DEFAULT', 'SIGRTMIN+3'], 37],
    [['SIGNAL_SIGRTMAXMINUS1', 'SIGQUIT'], 63],
  ];
  for (const [input, number] of cases) assert.equal(stopSignal(...input), number, input.join(' '));
});

test("runtimeMessage finds the error in runc's and crun's words", () => {
  const logfmt = 'time="2026-01-01T00:00:00Z" level=error msg="exec failed: exec: \\"x\\": not found"\n';
  assert.equal(runtimeMessage(logfmt), 'exec failed: exec: "x": not found');
  assert.equal(runtimeMessage('time="t" level=warning msg="w"\nplain error\n'), 'plain error');
});
