import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CriError,
  completeCri,
  completeMessage,
  type CriImplementation,
  decodeMessage,
  encodeMessage,
} from './index.ts';

test('encodeMessage writes the bytes that protoc would', () => {
  const bytes = encodeMessage('PortMapping', { protocol: 'UDP', containerPort: 53, hostIp: '::1' });
  assert.equal(bytes.toString('hex'), '08011035' + '2203' + Buffer.from('::1').toString('hex'));
});

test('decodeMessage answers what encodeMessage was given, completed', () => {
  const config = {
    metadata: { name: 'app', attempt: 3 },
    command: ['/bin/sh', '-c'],
    envs: [{ key: 'A', value: new Uint8Array([1, 2, 255]) }],
    labels: { one: '1', two: '' },
    stopSignal: 'SIGNAL_SIGQUIT',
    linux: {
      resources: { oomScoreAdj: -997, memoryLimitInBytes: 2 ** 40, cpuShares: 2 },
      securityContext: { runAsUser: { value: 0 }, supplementalGroups: [1, 2 ** 33], privileged: true },
    },
  } as const;
  const decoded = decodeMessage('ContainerConfig', encodeMessage('ContainerConfig', config));
  assert.deepEqual(decoded, completeMessage('ContainerConfig', config));
  assert.equal(decoded.linux?.resources?.oomScoreAdj, -997);
  assert.deepEqual(decoded.linux?.securityContext?.runAsUser, { value: 0 });
  assert.equal(decoded.image, undefined);
  assert.equal(decoded.workingDir, '');
});

test('decodeMessage skips unknown fields and unknown numbers of an enumeration', () => {
  const unknown = Buffer.from('f2070161' + '08ffffffff0f' + '1001', 'hex');
  assert.deepEqual(decodeMessage('PortMapping', unknown), {
    protocol: 'TCP',
    containerPort: 1,
    hostPort: 0,
    hostIp: '',
  });
});

test('decodeMessage reads numbers that are not packed', () => {
  const bytes = Buffer.from('2801' + '2802', 'hex');
  assert.deepEqual(decodeMessage('LinuxSandboxSecurityContext', bytes).supplementalGroups, [1, 2]);
});

test('decodeMessage refuses bytes that are cut off', () => {
  const bytes = encodeMessage('VersionResponse', { runtimeName: 'kubernode' });
  assert.throws(() => decodeMessage('VersionResponse', bytes.subarray(0, 5)), /cut off/);
});

test('completeCri fills responses and turns failures into CriError', async () => {
  const implementation = {
    version: async () => ({ runtimeName: 'x' }),
    status: async () => {
      throw new Error('no');
    },
  } as unknown as CriImplementation;
  const every = new Proxy(implementation, { get: (target, key) => Reflect.get(target, key) ?? (() => undefined) });
  const cri = completeCri(every);
  assert.deepEqual(await cri.version({}), { version: '', runtimeName: 'x', runtimeVersion: '', runtimeApiVersion: '' });
  await assert.rejects(cri.status({}), (error) => error instanceof CriError && error.code === 'Unknown');
});
