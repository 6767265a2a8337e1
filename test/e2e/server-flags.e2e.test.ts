/** All configuration files of the API server at once, each seen to be in force. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestMachine, type TestMachine } from './harness.ts';
import { until, type RunningProcess } from './process.ts';

let machine: TestMachine;
let server: RunningProcess;

const configurations = (folder: string) => ({
  'audit-policy-file': {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [{ level: 'Request', resources: [{ group: '', resources: ['configmaps'] }] }, { level: 'None' }],
  },
  'encryption-provider-config': {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      {
        resources: ['secrets'],
        providers: [{ secretbox: { keys: [{ name: 'one', secret: Buffer.alloc(32, 7).toString('base64') }] } }],
      },
    ],
  },
  'authentication-config': {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
  },
  'authorization-config': {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthorizationConfiguration',
    authorizers: [
      {
        type: 'Webhook',
        name: 'nobody-answers',
        webhook: {
          timeout: '1s',
          subjectAccessReviewVersion: 'v1',
          matchConditionSubjectAccessReviewVersion: 'v1',
          failurePolicy: 'Deny',
          authorizedTTL: '5s',
          unauthorizedTTL: '5s',
          connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: join(folder, 'webhook.kubeconfig') },
          matchConditions: [{ expression: "request.user == 'blocked'" }],
        },
      },
      { type: 'Node', name: 'node' },
      { type: 'RBAC', name: 'rbac' },
    ],
  },
  'admission-control-config-file': {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [
      {
        name: 'PodSecurity',
        configuration: {
          apiVersion: 'pod-security.admission.config.k8s.io/v1',
          kind: 'PodSecurityConfiguration',
          defaults: { enforce: 'baseline', 'enforce-version': 'latest' },
        },
      },
    ],
  },
});

const webhookKubeconfig = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:9/authorize' } }],
  users: [{ name: 'u', user: {} }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
};

/** JSON is YAML. */
function write(name: string, content: object): string {
  const path = join(machine.folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

before(async () => {
  machine = createTestMachine();
  write('webhook.kubeconfig', webhookKubeconfig);
  const files = Object.entries(configurations(machine.folder)).map(
    ([flag, content]) => `--${flag}=${write(`${flag}.yaml`, content)}`,
  );
  const root = join(import.meta.dirname, '..', '..');
  server = machine.start(join(root, 'kubernode'), [
    'server',
    '--no-agent',
    ...files,
    `--audit-log-path=${join(machine.folder, 'audit.log')}`,
  ]);
  const isReady = async () => (await machine.kubectl('get --raw=/readyz')).code === 0;
  await until('ready server', isReady, 60_000, () => server.stderr() + server.stdout());
});
after(() => machine.stop());

const status = async (path: string) => {
  const url = `https://127.0.0.1:6443${path}`;
  const { stdout } = await machine.exec('curl', ['-sk', '-o', '/dev/null', '-w', '%{http_code}', url]);
  return Number(stdout);
};

test('--authentication-config lets strangers see /livez alone', async () => {
  assert.deepEqual([await status('/livez'), await status('/readyz'), await status('/version')], [200, 401, 401]);
});

test('--authorization-config asks its webhook about whom it matches', async () => {
  await machine.kubectlOutput('create clusterrolebinding both --clusterrole=view --user=blocked --user=other');
  const allowed = await machine.kubectl('get configmaps --as=other');
  assert.equal(allowed.code, 0, allowed.stderr);
  const refused = await machine.kubectl('get configmaps --as=blocked');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Internal Server Error.*127\.0\.0\.1:9\/authorize/);
});

test('--admission-control-config-file tells PodSecurity what holds where nothing is said', async () => {
  await until('service account', async () => (await machine.kubectl('get serviceaccount default')).code === 0);
  const pod = (hostNetwork: boolean) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { hostNetwork, containers: [{ name: 'c', image: 'x' }] },
    });
  const refused = await machine.kubectl('create --dry-run=server -f -', { stdin: pod(true) });
  assert.match(refused.stderr, /violates PodSecurity "baseline:latest": host namespaces/);
  const { code, stderr } = await machine.kubectl('create --dry-run=server -f -', { stdin: pod(false) });
  assert.equal(code, 0, stderr);
});

test('--audit-policy-file decides what is written down', async () => {
  await machine.kubectlOutput('create configmap noted --from-literal=a=b');
  await machine.kubectlOutput('create secret generic quiet --from-literal=a=plainly-secret');
  const events = () =>
    readFileSync(join(machine.folder, 'audit.log'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(
        (line) => JSON.parse(line) as { stage: string; verb: string; objectRef?: { resource: string; name?: string } },
      );
  const isNoted = () => events().some(({ verb, objectRef }) => verb === 'create' && objectRef?.name === 'noted');
  await until('audit event', isNoted, 10_000);
  assert.ok(
    events().every(({ stage, objectRef }) => stage !== 'RequestReceived' && objectRef?.resource === 'configmaps'),
  );
});

test('--encryption-provider-config keeps secrets from who reads the database', async () => {
  assert.match(await machine.kubectlOutput('get secret quiet -o jsonpath={.data.a}'), /^[A-Za-z0-9+/=]+$/);
  const stored = readdirSync(machine.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(db|sqlite)(-wal)?$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  assert.ok(stored.length > 0, 'the database was not found');
  assert.ok(stored.some((bytes) => bytes.includes('k8s:enc:secretbox:v1:one:')));
  const plain = Buffer.from('plainly-secret').toString('base64');
  assert.ok(!stored.some((bytes) => bytes.includes(plain)));
});
