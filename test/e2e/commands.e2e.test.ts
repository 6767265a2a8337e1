/** Kubernode's own commands on a running cluster: status, logs, kubeconfig, images, parts that run alone. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { after, before, test } from 'node:test';
import { writeBusyboxImage } from '@kubernode/runtime';
import { startTestCluster, testImage, type TestMachine } from './harness.ts';
import { until } from './process.ts';

let cluster: TestMachine;
before(async () => {
  cluster = await startTestCluster();
});
after(() => cluster?.stop());

async function output(args: string | readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubernode(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

const ownBinary = join(import.meta.dirname, '../../kubernode');

test('kubernode setup, version, doctor, help and completion', async () => {
  assert.match(await output('setup'), /Everything that Kubernode needs is installed/);
  assert.match(await output('version'), /kubernetes v1\.37/);
  const doctor = await cluster.kubernode('doctor');
  assert.match(doctor.stdout, /nft/);
  for (const command of ['', 'up', 'server', 'image load', 'kubeconfig']) {
    assert.match(await output(`${command} --help`), /Usage: kubernode/);
  }
  for (const shell of ['bash', 'zsh', 'fish']) assert.match(await output(['completion', shell]), /kubernode/);
  const bash = await output('completion bash');
  const words = await cluster.exec('bash', [
    '-c',
    `${bash}\nCOMP_WORDS=(kubernode im); COMP_CWORD=1; _kubernode; echo "\${COMPREPLY[@]}"`,
  ]);
  assert.equal(words.stdout, 'image\n');
});

test('kubernode up on a cluster that runs, status and logs', async () => {
  assert.match((await cluster.kubernode('up')).stderr, /runs already \(process \d+\)/);
  assert.match(await output('status'), /runs \(process \d+.*\nnode \S+: ready\n/);
  assert.match(await output('logs -n 500'), /Starting the kubelet/);
  const following = cluster.start(ownBinary, 'logs -f');
  await following.waitFor(/INFO/);
  await following.end();
});

test('kubernode kubeconfig --merge keeps what is there', async () => {
  const target = join(cluster.folder, 'merged');
  writeFileSync(
    target,
    'apiVersion: v1\nkind: Config\ncurrent-context: other\ncontexts: [{name: other, context: {cluster: o, user: o}}]\n',
  );
  const env = { KUBECONFIG: target };
  for (let i = 0; i < 2; i += 1) {
    assert.equal((await cluster.kubernode('kubeconfig --merge', { env })).code, 0);
    const contexts = await cluster.kubectl('config get-contexts -o name', { env });
    assert.equal(contexts.stdout.trim().split('\n').length, 2, contexts.stdout);
    assert.equal((await cluster.kubectl('get nodes', { env })).code, 0);
  }
});

test('kubernode image load: layout, OCI archive, docker-save archive; list and remove', async () => {
  const layout = join(cluster.folder, 'layout');
  mkdirSync(layout);
  await writeBusyboxImage(layout, { name: 'kubernode.local/loaded:1' });
  const archive = join(cluster.folder, 'oci.tar');
  await cluster.exec('tar', ['-C', layout, '-cf', archive, '.']);
  const docker = dockerSave(layout, 'kubernode.local/docker:1');
  const dockerArchive = join(cluster.folder, 'docker.tar');
  await cluster.exec('tar', ['-C', docker, '-cf', dockerArchive, '.']);
  assert.equal(await output(['image', 'load', layout]), 'kubernode.local/loaded:1\n');
  await output('image remove kubernode.local/loaded:1');
  assert.equal(await output(['image', 'load', archive]), 'kubernode.local/loaded:1\n');
  assert.equal(await output(['image', 'load', dockerArchive]), 'kubernode.local/docker:1\n');
  assert.match(await output('image list'), /kubernode.local\/docker:1 +[0-9a-f]{12} +\d/);
  await cluster.kubectlOutput('run loaded --image=kubernode.local/docker:1 -- sleep 100');
  await cluster.kubectlOutput('wait --for=condition=Ready pod/loaded --timeout=20s');
  await output('image remove kubernode.local/loaded:1');
  const gone = await cluster.kubernode('image remove kubernode.local/none:1');
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, /there is no image/);
  const broken = join(cluster.folder, 'broken.tar');
  writeFileSync(broken, 'not a tar');
  const refused = await cluster.kubernode(['image', 'load', broken]);
  assert.equal(refused.code, 1);
  assert.doesNotMatch(refused.stderr, /^\s+at /m);
  assert.match((await cluster.kubernode('image load /none.tar')).stderr, /none.tar/);
});

interface Descriptor {
  readonly digest: string;
}

/** The same image as `docker save` writes it. */
function dockerSave(layout: string, name: string): string {
  const blob = ({ digest }: Descriptor) => readFileSync(join(layout, 'blobs', ...digest.split(':')));
  const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as { manifests: [Descriptor] };
  const manifest = JSON.parse(blob(index.manifests[0]).toString()) as { config: Descriptor; layers: Descriptor[] };
  const folder = join(cluster.folder, 'docker');
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.json'), blob(manifest.config));
  const layers = manifest.layers.map((layer, i) => {
    writeFileSync(join(folder, `layer-${i}.tar`), unpacked(blob(layer)));
    return `layer-${i}.tar`;
  });
  const saved = [{ Config: 'config.json', RepoTags: [name], Layers: layers }];
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(saved));
  return folder;
}

const unpacked = (bytes: Buffer) => (bytes.readUInt16BE(0) === 0x1f8b ? gunzipSync(bytes) : bytes);

const registryScript = join(import.meta.dirname, 'registry.ts');
for (const scheme of ['none', 'basic', 'bearer'] as const) {
  test(`kubernode image pull from a registry on loopback: ${scheme}`, async () => {
    const layout = join(cluster.folder, `registry-${scheme}`);
    mkdirSync(layout);
    await writeBusyboxImage(layout, { name: `kubernode.local/${scheme}:1` });
    const registry = cluster.start(process.execPath, [registryScript, layout, scheme]);
    try {
      await registry.waitFor(/listens/);
      const reference = '127.0.0.1:5000/team/app:1';
      const password = join(cluster.folder, 'password');
      writeFileSync(password, 'secret\n');
      if (scheme !== 'none') {
        const refused = await cluster.kubernode(['image', 'pull', reference]);
        assert.equal(refused.code, 1);
        assert.match(refused.stderr, /wants a user name and a password/);
      }
      const credentials = scheme === 'none' ? [] : ['--username', 'user', '--password-file', password];
      assert.equal(await output(['image', 'pull', reference, ...credentials]), `${reference}\n`);
      await output(['image', 'remove', reference]);
      const missing = await cluster.kubernode(['image', 'pull', '127.0.0.1:5000/team/none:1', ...credentials]);
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, /not found|404|MANIFEST_UNKNOWN/i);
      if (scheme === 'none') return;
      await cluster.kubectlOutput(
        `create secret docker-registry ${scheme} --docker-server=127.0.0.1:5000 --docker-username=user --docker-password=secret`,
      );
      const spec = { containers: [{ name: 'c', image: reference, command: ['sleep', '100'] }] };
      const pod = { ...spec, imagePullSecrets: [{ name: scheme }] };
      await cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: scheme }, spec: pod });
      await cluster.kubectlOutput(`wait --for=condition=Ready pod/${scheme} --timeout=20s`);
      await cluster.kubectlOutput(`delete pod ${scheme} --grace-period=1`);
    } finally {
      await registry.end();
    }
  });
}

test('kubernode server --no-agent with an agent of its own, from a configuration file', async () => {
  const dataDir = join(cluster.folder, 'apart');
  const config = join(cluster.folder, 'config.yaml');
  writeFileSync(config, 'secure-port: 7443\nruntime-config: [api/beta=true]\n');
  const env = { KUBERNODE_DATA_DIR: dataDir, KUBECONFIG: join(dataDir, 'kubeconfig') };
  const server = cluster.start(ownBinary, ['server', '--no-agent', '--config', config], { env });
  try {
    await server.waitFor(/Ready/);
    assert.match((await cluster.kubectl('get nodes', { env })).stderr, /No resources found/);
    const agent = cluster.start(ownBinary, 'agent', { env });
    await agent.waitFor(/Ready/);
    const ready = await cluster.kubectl('wait --for=condition=Ready nodes --all --timeout=20s', { env });
    assert.equal(ready.code, 0, ready.stderr);
    await output(['image', 'load', join(cluster.folder, 'layout'), '--data-dir', dataDir]);
    agent.signal('SIGTERM');
    assert.equal((await agent.outcome).code, 0);
    server.signal('SIGTERM');
    assert.equal((await server.outcome).code, 0);
  } finally {
    const reset = await cluster.kubernode('reset', { env });
    assert.equal(reset.code, 0, reset.stderr);
  }
});

test('kubernode apiserver alone, in memory, with a token file', async () => {
  const dataDir = join(cluster.folder, 'alone');
  const tokens = join(cluster.folder, 'tokens.csv');
  writeFileSync(tokens, 'abc,admin,1,"system:masters"\n');
  const args = ['apiserver', '--data-dir', dataDir, '--secure-port', '7443', '--storage', 'memory'];
  const server = cluster.start(ownBinary, [...args, '--token-auth-file', tokens]);
  await server.waitFor(/Ready/);
  const withToken = ['--server=https://127.0.0.1:7443', '--insecure-skip-tls-verify', '--token=abc'];
  const who = await cluster.kubectl([...withToken, 'auth', 'whoami'], { env: { KUBECONFIG: '/dev/null' } });
  assert.match(who.stdout, /admin/);
  server.signal('SIGINT');
  assert.equal((await server.outcome).code, 0);
  assert.equal((await cluster.kubernode(['reset', '--data-dir', dataDir])).code, 0);
  await until('the port to be free', async () => (await cluster.kubectl([...withToken, 'version'])).code !== 0);
});

test(`the image ${testImage} runs after all of this`, async () => {
  await cluster.kubectlOutput(['run', 'last', `--image=${testImage}`, '--', 'sleep', '100']);
  await cluster.kubectlOutput('wait --for=condition=Ready pod/last --timeout=20s');
});
