import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod, PodSpec } from '@kubernode/api/core/v1';
import { testMeta, testPod } from '../testing/objects.ts';
import { podCgroup } from './cgroup-path.ts';
import { cpuWeight } from './cgroups.ts';
import { parseResolverConfig, podDns } from './dns.ts';
import { hostsFile, podHostname } from './hostname.ts';
import { containerResources, cpuShares, podResources } from './resources.ts';
import { sandboxConfig, type NodeConfig } from './sandbox-config.ts';
import { containerSecurity, verifyNonRoot } from './security-context.ts';

const host = parseResolverConfig('search example.com .\nnameserver 9.9.9.9\noptions timeout:1\n# comment\n');
const cluster = { clusterDns: ['10.96.0.10'], clusterDomain: 'cluster.local' };

const policies: { name: string; spec: Partial<PodSpec>; servers: string[]; searches: string[]; options: string[] }[] = [
  {
    name: 'ClusterFirst',
    spec: {},
    servers: ['10.96.0.10'],
    searches: ['default.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.com'],
    options: ['ndots:5'],
  },
  {
    name: 'ClusterFirst on the host network is Default',
    spec: { hostNetwork: true },
    servers: ['9.9.9.9'],
    searches: ['example.com'],
    options: ['timeout:1'],
  },
  {
    name: 'None with its own configuration',
    spec: { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a'], options: [{ name: 'debug' }] } },
    servers: ['1.1.1.1'],
    searches: ['a'],
    options: ['debug'],
  },
  {
    name: 'own options replace',
    spec: { dnsConfig: { options: [{ name: 'ndots', value: '2' }] } },
    servers: ['10.96.0.10'],
    searches: ['default.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.com'],
    options: ['ndots:2'],
  },
];
for (const { name, spec, ...expected } of policies) {
  test(`podDns: ${name}`, () => assert.deepEqual(podDns(testPod(spec), host, cluster), expected));
}

test('podHostname: name, hostname, subdomain, full name', () => {
  const of = (spec: Partial<PodSpec>) => podHostname(testPod(spec), 'cluster.local').hostname;
  assert.equal(of({}), 'web');
  assert.equal(of({ hostname: 'db' }), 'db');
  assert.equal(of({ subdomain: 'sub', setHostnameAsFQDN: true }), 'web.sub.default.svc.cluster.local');
  const long = testPod({}, { name: `${'a'.repeat(62)}-b` });
  assert.equal(podHostname(long, 'cluster.local').hostname, 'a'.repeat(62));
});

test('hostsFile: addresses, subdomain and aliases', () => {
  const pod = testPod({ subdomain: 'sub', hostAliases: [{ ip: '1.2.3.4', hostnames: ['x', 'y'] }] });
  const text = hostsFile(pod, ['10.0.0.2'], 'cluster.local', '');
  assert.match(text, /^10\.0\.0\.2\tweb\.sub\.default\.svc\.cluster\.local\tweb$/m);
  assert.match(text, /^# Entries added by HostAliases\.\n1\.2\.3\.4\tx\ty$/m);
});

const main = (more: Partial<Container>): Pod => testPod({ containers: [{ name: 'main', resources: {}, ...more }] });

test('containerResources: shares, quota, memory and the order of killing', () => {
  const gib = 1024 ** 3;
  const of = (pod: Pod, groupOomKill = false) =>
    containerResources(pod, pod.spec.containers[0] as Container, { memoryCapacityBytes: 8 * gib, groupOomKill });
  assert.deepEqual(of(main({})), { cpuShares: 2, cpuPeriod: 100_000, cpuQuota: 0, oomScoreAdj: 1000 });
  const both = { cpu: '500m', memory: '1Gi' };
  assert.deepEqual(of(main({ resources: { requests: both, limits: both } })), {
    cpuShares: 512,
    cpuPeriod: 100_000,
    cpuQuota: 50_000,
    memoryLimitInBytes: gib,
    memorySwapLimitInBytes: gib,
    oomScoreAdj: -997,
  });
  assert.equal(of(main({ resources: { requests: { memory: '4Gi' } } })).oomScoreAdj, 500);
  assert.deepEqual(of(main({}), true).unified, { 'memory.oom.group': '1' });
  assert.equal(cpuShares(1_000_000), 262_144);
  assert.deepEqual([cpuWeight(2), cpuWeight(262_144)], [1, 10_000]);
});

test('podResources: sidecars add up, init containers count at their peak', () => {
  const cpu = (value: string) => ({ requests: { cpu: value } });
  const pod = testPod({
    initContainers: [
      { name: 'side', restartPolicy: 'Always', resources: cpu('100m') },
      { name: 'init', resources: cpu('2') },
    ],
    containers: [{ name: 'main', resources: cpu('500m') }],
    overhead: { cpu: '10m' },
  });
  assert.equal(podResources(pod).cpuRequestMilli, 2_110);
});

test('podCgroup: by class, below the root', () => {
  assert.equal(podCgroup('/kubernode-1', main({})), '/kubernode-1/kubepods/besteffort/poduid-web');
  const guaranteed = { cpu: '1', memory: '1Gi' };
  const pod = main({ resources: { limits: guaranteed, requests: guaranteed } });
  assert.equal(podCgroup('/', pod), '/kubepods/poduid-web');
});

test('containerSecurity: the container over the pod', () => {
  const pod = testPod({
    securityContext: { runAsUser: 1, runAsGroup: 5, fsGroup: 7, supplementalGroups: [6] },
    containers: [{ name: 'main', resources: {}, securityContext: { runAsUser: 2, allowPrivilegeEscalation: false } }],
    shareProcessNamespace: true,
  });
  const security = containerSecurity(pod, pod.spec.containers[0] as Container, { seccompDir: '/seccomp' });
  assert.equal(security.runAsUser?.value, 2);
  assert.equal(security.runAsGroup?.value, 5);
  assert.deepEqual(security.supplementalGroups, [6, 7]);
  assert.equal(security.noNewPrivs, true);
  assert.equal(security.namespaceOptions?.pid, 'POD');
  assert.equal(security.seccomp?.profileType, 'Unconfined');
});

const nonRoot: { name: string; own: Partial<Container>; image: { uid?: number; username: string }; error?: RegExp }[] =
  [
    { name: 'a user', own: { securityContext: { runAsUser: 1 } }, image: { uid: 0, username: '' } },
    {
      name: 'root',
      own: { securityContext: { runAsUser: 0 } },
      image: { username: '' },
      error: /breaks non-root policy/,
    },
    { name: 'image as root', own: {}, image: { uid: 0, username: '' }, error: /image will run as root/ },
    { name: 'image with a name', own: {}, image: { username: 'www' }, error: /non-numeric user \(www\)/ },
  ];
for (const { name, own, image, error } of nonRoot) {
  test(`verifyNonRoot: ${name}`, () => {
    const pod = testPod({
      securityContext: { runAsNonRoot: true },
      containers: [{ name: 'main', resources: {}, ...own }],
    });
    const verify = () =>
      verifyNonRoot(pod, pod.spec.containers[0] as Container, { uid: image.uid, username: image.username });
    if (error) assert.throws(verify, error);
    else verify();
  });
}

test('sandboxConfig: ports, sysctls, host network', () => {
  const node: NodeConfig = {
    ...cluster,
    logsDir: '/logs',
    seccompDir: '/seccomp',
    hostResolver: host,
    memoryCapacityBytes: 1,
    groupOomKill: false,
    appArmor: false,
    cgroupParent: () => '/parent',
  };
  const pod = testPod(
    {
      securityContext: { sysctls: [{ name: 'net/ipv4/tcp_syncookies', value: '0' }] },
      containers: [
        { name: 'main', resources: {}, ports: [{ containerPort: 80, hostPort: 8080 }, { containerPort: 81 }] },
      ],
    },
    { labels: { app: 'web' } },
  );
  const config = sandboxConfig(pod, 2, node);
  assert.deepEqual(config.metadata, { name: 'web', namespace: 'default', uid: 'uid-web', attempt: 2 });
  assert.equal(config.logDirectory, '/logs/default_web_uid-web');
  assert.deepEqual(config.portMappings, [{ containerPort: 80, hostPort: 8080, protocol: 'TCP', hostIp: '' }]);
  assert.deepEqual(config.linux?.sysctls, { 'net.ipv4.tcp_syncookies': '0' });
  assert.equal(config.labels?.['io.kubernetes.pod.uid'], testMeta().uid);
  const onHost = sandboxConfig({ ...pod, spec: { ...pod.spec, hostNetwork: true } }, 0, node);
  assert.equal(onHost.hostname, '');
  assert.equal(onHost.linux?.securityContext?.namespaceOptions?.network, 'NODE');
});
