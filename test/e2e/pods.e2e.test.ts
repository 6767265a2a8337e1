/** What a pod may ask of its node: environment, volumes, identity, limits, init containers, probes, restarts. */
import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTestCluster, testImage, type Arguments, type TestMachine } from './harness.ts';
import { configMap, pod, secret, shell } from './manifests.ts';
import { until } from './process.ts';

let cluster: TestMachine;
const out = (args: Arguments) => cluster.kubectlOutput(args);
const field = (name: string, path: string) => out(['get', 'pod', name, '-o', `jsonpath={${path}}`]);
const inPod = (name: string, script: string) => cluster.kubectl(['exec', name, '-c', 'main', '--', 'sh', '-c', script]);
const isReady = (name: string) => out(`wait --for=condition=Ready pod/${name} --timeout=30s`);
const isPhase = (name: string, phase: string) =>
  out(`wait --for=jsonpath={.status.phase}=${phase} pod/${name} --timeout=30s`);
const from = (fieldPath: string) => ({ fieldRef: { fieldPath } });

before(async () => {
  cluster = await startTestCluster();
  await cluster.apply([configMap('conf', { KEY: 'value', 'file.txt': 'v1\n' }), secret('sec', { PASS: 'word' })]);
});
after(() => cluster?.stop());

test('pod: environment from everywhere', async () => {
  const env = [
    { name: 'PLAIN', value: 'plain' },
    { name: 'REF', value: 'got-$(PLAIN)-$(NOPE)-$$(PLAIN)' },
    { name: 'FROM_CM', valueFrom: { configMapKeyRef: { name: 'conf', key: 'KEY' } } },
    { name: 'FROM_SECRET', valueFrom: { secretKeyRef: { name: 'sec', key: 'PASS' } } },
    { name: 'OPTIONAL', valueFrom: { secretKeyRef: { name: 'absent', key: 'x', optional: true } } },
    { name: 'POD', valueFrom: from('metadata.name') },
    { name: 'NS', valueFrom: from('metadata.namespace') },
    { name: 'IP', valueFrom: from('status.podIP') },
    { name: 'NODE', valueFrom: from('spec.nodeName') },
    { name: 'LABEL', valueFrom: from("metadata.labels['tier']") },
    { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
    { name: 'MEM', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
  ];
  const envFrom = [{ configMapRef: { name: 'conf' } }, { prefix: 'S_', secretRef: { name: 'sec' } }];
  const resources = { limits: { cpu: '500m', memory: '32Mi' } };
  const containers = [shell('env', { env, envFrom, resources })];
  await cluster.apply(pod('env', { restartPolicy: 'Never', containers }, { labels: { tier: 'one' } }));
  await isPhase('env', 'Succeeded');
  const seen = new Map((await out('logs env')).split('\n').map((line) => line.split('=', 2) as [string, string]));
  const expected = {
    PLAIN: 'plain',
    REF: 'got-plain-$(NOPE)-$(PLAIN)',
    FROM_CM: 'value',
    FROM_SECRET: 'word',
    OPTIONAL: undefined,
    POD: 'env',
    NS: 'default',
    IP: await field('env', '.status.podIP'),
    NODE: await field('env', '.spec.nodeName'),
    LABEL: 'one',
    CPU: '500',
    MEM: String(32 * 1024 * 1024),
    KEY: 'value',
    S_PASS: 'word',
    HOSTNAME: 'env',
    KUBERNETES_SERVICE_PORT: '443',
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(seen.get(name), value, name);
  assert.match(expected.IP, /^10\./);
});

test('pod: volumes, and files that change with their ConfigMap and Secret', async () => {
  const hostFolder = join(cluster.folder, 'host');
  mkdirSync(hostFolder);
  writeFileSync(join(hostFolder, 'file'), 'of the host');
  const sources = [
    { serviceAccountToken: { path: 'token', audience: 'vault', expirationSeconds: 600 } },
    { configMap: { name: 'conf', items: [{ key: 'KEY', path: 'sub/key' }] } },
  ];
  const volumes = {
    cm: { configMap: { name: 'conf' } },
    sec: { secret: { secretName: 'sec', defaultMode: 0o400 } },
    mem: { emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    dir: { emptyDir: {} },
    down: { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    host: { hostPath: { path: hostFolder, type: 'Directory' } },
    projected: { projected: { sources } },
  };
  const volumeMounts = [
    ...Object.keys(volumes).map((name) => ({ name, mountPath: `/${name}`, readOnly: name === 'host' })),
    { name: 'cm', mountPath: '/one.txt', subPath: 'file.txt' },
  ];
  const spec = {
    containers: [shell('sleep 1000', { volumeMounts })],
    volumes: Object.entries(volumes).map(([name, source]) => ({ name, ...source })),
  };
  await cluster.apply(pod('volumes', spec, { labels: { tier: 'one' } }));
  await isReady('volumes');
  const read = async (script: string) => (await inPod('volumes', script)).stdout;
  assert.equal(await read('cat /cm/KEY /cm/file.txt /one.txt /sec/PASS /down/labels'), 'valuev1\nv1\nwordtier="one"');
  assert.equal(await read('cat /host/file /projected/sub/key; stat -L -c %a /sec/PASS'), 'of the hostvalue400\n');
  assert.match(await read('grep " /mem " /proc/mounts; cut -d. -f1 /projected/token | wc -c'), /tmpfs.*size=1024k/);
  assert.notEqual((await inPod('volumes', 'touch /host/x')).code, 0);
  assert.notEqual((await inPod('volumes', 'dd if=/dev/zero of=/mem/x bs=1M count=2')).code, 0);
  await cluster.apply([configMap('conf', { KEY: 'value', 'file.txt': 'v2\n' }), secret('sec', { PASS: 'new' })]);
  await until('new files', async () => (await read('cat /cm/file.txt /sec/PASS')) === 'v2\nnew', 90_000);
  assert.equal(await read('cat /one.txt'), 'v1\n', 'a subPath is not updated');
});

test('pod: user, groups, capabilities, read-only root', async () => {
  const securityContext = {
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  };
  const volumeMounts = [{ name: 'dir', mountPath: '/dir' }];
  await cluster.apply([
    pod('strict', {
      securityContext: { runAsUser: 1000, runAsGroup: 2000, fsGroup: 3000, supplementalGroups: [4000] },
      containers: [shell('sleep 1000', { securityContext, volumeMounts })],
      volumes: [{ name: 'dir', emptyDir: {} }],
    }),
    pod('privileged', { containers: [shell('sleep 1000', { securityContext: { privileged: true } })] }),
    pod('rootless', { securityContext: { runAsNonRoot: true }, containers: [shell('true')] }),
    pod('tuned', {
      securityContext: { sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '80' }] },
      containers: [shell('sleep 1000', { securityContext: { capabilities: { add: ['NET_ADMIN'] } } })],
    }),
  ]);
  for (const name of ['strict', 'privileged', 'tuned']) await isReady(name);
  const strict = await inPod(
    'strict',
    'id; touch /x; touch /dir/x && stat -c %u:%g /dir/x; grep -E "CapEff|NoNewPrivs" /proc/self/status',
  );
  assert.match(strict.stdout, /uid=1000 gid=2000 groups=2000,3000,4000\n1000:3000\nCapEff:\t0+\nNoNewPrivs:\t1/);
  assert.match(strict.stderr, /Read-only file system/);
  const [own] = /CapEff:.*/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  assert.equal((await inPod('privileged', 'grep CapEff /proc/self/status')).stdout.trim(), own);
  assert.equal((await inPod('tuned', 'cat /proc/sys/net/ipv4/ip_unprivileged_port_start')).stdout, '80\n');
  assert.equal((await inPod('tuned', 'ip link set lo mtu 1400 && echo ok')).stdout, 'ok\n');
  await until(
    'refusal',
    async () =>
      (await field('rootless', '.status.containerStatuses[0].state.waiting.reason')) === 'CreateContainerConfigError',
  );
  assert.match(await out('events --for pod/rootless'), /container has runAsNonRoot and image will run as root/);
});

test('pod: a token that the API takes, from inside the pod', async () => {
  await out('create clusterrolebinding view-default --clusterrole=view --serviceaccount=default:default');
  await cluster.apply(pod('client', { containers: [shell('sleep 1000')] }));
  await isReady('client');
  const account = '/var/run/secrets/kubernetes.io/serviceaccount';
  const token = (await inPod('client', `cat ${account}/token`)).stdout;
  const ca = (await inPod('client', `cat ${account}/ca.crt`)).stdout;
  assert.equal((await inPod('client', `cat ${account}/namespace`)).stdout, 'default');
  const uid = await field('client', '.metadata.uid');
  const sandbox = globSync(join(cluster.dataDir, 'agent/runtime/state/sandboxes/*/sandbox.json')).find((file) => {
    const { config } = JSON.parse(readFileSync(file, 'utf8')) as { config: string };
    return Buffer.from(config, 'base64').includes(uid);
  });
  const address = (await inPod('client', 'echo $KUBERNETES_SERVICE_HOST')).stdout.trim();
  const program = `require('https').get({ host: '${address}', path: '/api/v1/namespaces/default/pods/client',
    servername: 'kubernetes.default.svc', ca: process.env.CA, headers: { authorization: 'Bearer ' + process.env.TOKEN } },
    (r) => r.pipe(process.stdout))`;
  const { stdout, stderr } = await cluster.exec(
    'nsenter',
    [`--net=${join(dirname(sandbox ?? ''), 'net')}`, process.execPath, '-e', program],
    { env: { CA: ca, TOKEN: token } },
  );
  assert.equal(stderr, '');
  assert.equal(JSON.parse(stdout).metadata.uid, uid);
});

test('pod: init containers in order, a sidecar beside', async () => {
  const volumeMounts = [{ name: 'work', mountPath: '/w' }];
  const step = (name: string, script: string, more: object = {}) => shell(script, { name, volumeMounts, ...more });
  await cluster.apply(
    pod('steps', {
      initContainers: [
        step('first', 'echo first > /w/log'),
        step('side', 'echo side >> /w/log; sleep 1000', {
          restartPolicy: 'Always',
          startupProbe: { exec: { command: ['grep', 'side', '/w/log'] }, periodSeconds: 1 },
        }),
        step('second', 'echo second >> /w/log'),
      ],
      containers: [step('main', 'cat /w/log; sleep 1000')],
      volumes: [{ name: 'work', emptyDir: {} }],
    }),
  );
  await isReady('steps');
  assert.equal(await out('logs steps -c main'), 'first\nside\nsecond\n');
  assert.match(await out('get pod steps --no-headers'), /steps +2\/2 +Running/);
});

test('pod: probes decide on traffic and restarts', async () => {
  const exec = (file: string) => ({ exec: { command: ['test', '-f', file] }, periodSeconds: 1, failureThreshold: 1 });
  await cluster.apply(
    pod('probed', {
      containers: [
        shell('touch /tmp/live; sleep 1000', {
          startupProbe: { ...exec('/tmp/live'), failureThreshold: 10 },
          readinessProbe: exec('/tmp/ready'),
          livenessProbe: { ...exec('/tmp/live'), terminationGracePeriodSeconds: 1 },
        }),
      ],
    }),
  );
  await isPhase('probed', 'Running');
  await until('failed readiness', async () =>
    /Unhealthy.*Readiness probe failed/.test(await out('events --for pod/probed')),
  );
  await inPod('probed', 'touch /tmp/ready');
  await isReady('probed');
  await inPod('probed', 'rm /tmp/live');
  await until('restart', async () => (await field('probed', '.status.containerStatuses[0].restartCount')) === '1');
  assert.match(
    await out('events --for pod/probed'),
    /Killing.*Container main failed liveness probe, will be restarted/,
  );
});

test('pod: ends badly: out of memory, a crash with its message, an image or command or ConfigMap that is not there', async () => {
  const absent = { envFrom: [{ configMapRef: { name: 'absent' } }] };
  await cluster.apply([
    pod('oom', {
      restartPolicy: 'Never',
      containers: [shell('tail /dev/zero', { resources: { limits: { memory: '16Mi' } } })],
    }),
    pod('crash', { containers: [shell('echo -n why > /dev/termination-log; exit 3')] }),
    pod('last-words', {
      restartPolicy: 'Never',
      containers: [shell('echo from the log; exit 1', { terminationMessagePolicy: 'FallbackToLogsOnError' })],
    }),
    pod('no-image', { containers: [{ name: 'main', image: 'kubernode.local/absent:1', imagePullPolicy: 'Never' }] }),
    pod('no-command', { containers: [{ name: 'main', image: testImage, command: ['/nope'] }] }),
    pod('no-map', { containers: [shell('true', absent)] }),
  ]);
  const state = '.status.containerStatuses[0]';
  await isPhase('oom', 'Failed');
  assert.equal(await field('oom', `${state}.state.terminated.reason`), 'OOMKilled');
  assert.equal(await field('oom', `${state}.state.terminated.exitCode`), '137');
  await isPhase('last-words', 'Failed');
  assert.equal(await field('last-words', `${state}.state.terminated.message`), 'from the log\n');
  const waiting = {
    crash: 'CrashLoopBackOff',
    'no-image': 'ErrImageNeverPull',
    'no-command': 'CrashLoopBackOff',
    'no-map': 'CreateContainerConfigError',
  };
  for (const [name, reason] of Object.entries(waiting)) {
    await until(`${reason} of ${name}`, async () => (await field(name, `${state}.state.waiting.reason`)) === reason);
  }
  assert.equal(await field('crash', `${state}.lastState.terminated.message`), 'why');
  assert.equal(await field('crash', `${state}.lastState.terminated.exitCode`), '3');
  assert.match(await field('no-command', `${state}.lastState.terminated.message`), /"\/nope"/);
  assert.match(await out('events --for pod/no-map'), /Error: configmap "absent" not found/);
  await cluster.apply(configMap('absent', { a: '1' }));
  await until(
    'start',
    async () =>
      (await field('no-map', `${state}.restartCount`)) !== '' && (await field('no-map', `${state}.lastState`)) !== '{}',
  );
});

test('pod: on the host network, with aliases, hooks and a shared process namespace', async () => {
  await cluster.apply([
    pod('host-net', { hostNetwork: true, containers: [shell('sleep 1000')] }),
    pod('shared', {
      shareProcessNamespace: true,
      hostname: 'given',
      subdomain: 'sub',
      hostAliases: [{ ip: '10.1.2.3', hostnames: ['alias.local'] }],
      dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
      containers: [
        shell('sleep 1000', { lifecycle: { postStart: { exec: { command: ['sh', '-c', 'echo hook > /tmp/hook'] } } } }),
        shell('sleep 2000', { name: 'other' }),
      ],
    }),
  ]);
  await isReady('host-net');
  assert.equal(await field('host-net', '.status.podIP'), await field('host-net', '.status.hostIP'));
  await isReady('shared');
  const seen = (await inPod('shared', 'ps; hostname -f; cat /etc/hosts /etc/resolv.conf /tmp/hook')).stdout;
  assert.match(
    seen,
    /sleep 1000.*sleep 2000.*given\.sub\.default\.svc\.cluster\.local.*10\.1\.2\.3\talias\.local.*ndots:2.*hook/s,
  );
});
