/** What a running cluster makes of bad input: manifests, images, commands, and a disk that fills. */
import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestMachine, testImage, type TestMachine } from './harness.ts';
import { until } from './process.ts';

let cluster: TestMachine;
before(async () => {
  cluster = createTestMachine();
  // A disk that can be filled without harm.
  mkdirSync(cluster.dataDir);
  await cluster.exec('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', cluster.dataDir]);
  const { code, stderr } = await cluster.kubernode('up');
  assert.equal(code, 0, stderr);
  await cluster.loadImage({ name: testImage });
});
after(async () => {
  const { stderr } = await cluster.kubernode('reset');
  await cluster.exec('umount', [cluster.dataDir]);
  rmdirSync(cluster.dataDir);
  await cluster.stop();
  assert.doesNotMatch(stderr, /FAILED/);
});

const configMap = (body: string) => `apiVersion: v1\nkind: ConfigMap\n${body}`;
const pod = (container: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec: {containers: [{name: c, image: x${container}}]}`;

const manifests: readonly [string, string, RegExp][] = [
  ['YAML that cannot be read', 'a: [1', /error parsing|yaml/],
  ['no kind', 'apiVersion: v1\nmetadata: {name: a}', /kind must be specified|[Kk]ind.*not set/],
  ['an unknown kind', 'apiVersion: v1\nkind: Cat\nmetadata: {name: a}', /no matches for kind "Cat" in version "v1"/],
  ['a name with capitals', configMap('metadata: {name: Cat}'), /metadata.name: Invalid value: "Cat"/],
  ['a field that does not exist', configMap('metadata: {name: a}\nwords: {}'), /unknown field "words"/],
  [
    'a field of another type',
    configMap('metadata: {name: a}\ndata: {a: 1}'),
    /cannot unmarshal number into Go struct field ConfigMap.data of type string/,
  ],
  [
    'an impossible quantity',
    pod(', resources: {limits: {memory: 1Zib}}'),
    /quantities must match the regular expression|unable to parse quantity/,
  ],
  [
    'a request above its limit',
    pod(', resources: {limits: {cpu: 1}, requests: {cpu: 2}}'),
    /spec.containers\[0\].resources.requests: Invalid value: "2": must be less than or equal to cpu limit/,
  ],
  ['a port out of range', pod(', ports: [{containerPort: 70000}]'), /containerPort: Invalid value: 70000/],
  ['no containers', 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}', /spec.containers: Required value/],
];
for (const [what, manifest, message] of manifests) {
  test(`a manifest with ${what}`, async () => {
    const { code, stderr } = await cluster.kubectl('apply -f -', { stdin: manifest });
    assert.equal(code, 1, stderr);
    assert.match(stderr, message);
  });
}

interface PodResult {
  readonly waiting?: { readonly reason: string; readonly message: string };
  readonly restartCount: number;
}

async function containerOf(name: string): Promise<PodResult | undefined> {
  const { stdout } = await cluster.kubectl(['get', 'pod', name, '-o', 'json']);
  const { status } = JSON.parse(stdout) as {
    status: { containerStatuses?: { state: { waiting?: PodResult['waiting'] }; restartCount: number }[] };
  };
  const [container] = status.containerStatuses ?? [];
  const waiting = container?.state.waiting;
  return container && { restartCount: container.restartCount, ...(waiting ? { waiting } : {}) };
}

const events = (name: string) =>
  cluster.kubectlOutput(['get', 'events', '--field-selector', `involvedObject.name=${name}`]);

const broken: readonly [string, object, readonly RegExp[], RegExp][] = [
  [
    'image-is-not-there',
    { image: '127.0.0.1:9/none/such:1' },
    [/^ImagePullBackOff$/],
    /Failed to pull image "127.0.0.1:9\/none\/such:1".*ECONNREFUSED.*Error: ErrImagePull/s,
  ],
  ['image-name-is-invalid', { image: 'UPPER CASE' }, [/^InvalidImageName$/], /InvalidImageName|couldn't parse image/],
  ['never-pull', { image: 'none/such:1', imagePullPolicy: 'Never' }, [/^ErrImageNeverPull$/], /ErrImageNeverPull/],
  [
    'command-is-not-there',
    { image: testImage, command: ['/no/such/command'] },
    [/^(RunContainerError|CrashLoopBackOff)$/],
    /\/no\/such\/command.*(no such file|not found)/,
  ],
  [
    'config-map-is-not-there',
    { image: testImage, envFrom: [{ configMapRef: { name: 'never-made' } }] },
    [/^CreateContainerConfigError$/],
    /configmap "never-made" not found/,
  ],
];
for (const [name, container, reasons, event] of broken) {
  test(`a pod whose ${name.replaceAll('-', ' ')}`, async () => {
    const spec = { containers: [{ name: 'main', ...container }] };
    await cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
    for (const reason of reasons) {
      const isSo = async () => reason.test((await containerOf(name))?.waiting?.reason ?? '');
      await until(`reason ${reason}`, isSo, 30_000, async () => JSON.stringify(await containerOf(name)));
    }
    assert.match(await events(name), event);
    await cluster.kubectlOutput(`delete pod ${name} --timeout=20s`);
  });
}

test('a disk that fills while it runs: writes are refused, reads go on, and it recovers', async () => {
  await cluster.kubectlOutput('create configmap before --from-literal=a=b');
  const ballast = join(cluster.dataDir, 'log', 'ballast');
  const large = join(cluster.folder, 'large');
  writeFileSync(large, 'x'.repeat(900_000));
  await cluster.exec('sh', ['-c', `cat /dev/zero > ${ballast} || true`]);
  try {
    const create = (n: number) => cluster.kubectl(['create', 'configmap', `large-${n}`, `--from-file=${large}`]);
    let refused = await create(0);
    for (let i = 1; refused.code === 0 && i < 10; i += 1) refused = await create(i);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /disk is full/);
    assert.equal(await cluster.kubectlOutput('get configmap before -o jsonpath={.data.a}'), 'b');
    assert.equal((await cluster.kubernode('status')).code, 0);
  } finally {
    rmSync(ballast);
  }
  await cluster.kubectlOutput('create configmap after --from-literal=a=b');
  await cluster.kubectlOutput('run after --image=kubernode.local/demo:1 -- sleep 100');
  await cluster.kubectlOutput('wait --for=condition=Ready pod/after --timeout=30s');
  assert.equal((await cluster.kubernode('down')).code, 0);
  assert.equal((await cluster.kubernode('up')).code, 0);
  await cluster.kubectlOutput('get configmap before after');
});
