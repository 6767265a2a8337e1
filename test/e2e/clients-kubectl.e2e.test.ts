/** Each kubectl of this machine, and one of the newest release where Go can build it: the same work with all of them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startClientsServer, type ClientsServer } from './clients.ts';
import { goProgram, kubectlsByRelease } from './clients-programs.ts';
import { configMap, deployment } from './manifests.ts';
import type { Outcome, RunOptions } from './process.ts';

/** What upstream supports with a server of today is less; what people have is this. */
const releasesWanted = ['1.27', '1.28', '1.29', '1.30', '1.31', '1.32', '1.33'];
const built = goProgram('kubectl');
const found = kubectlsByRelease();
let server: ClientsServer;

before(async () => {
  server = await startClientsServer();
});
after(() => server?.stop());

for (const release of new Set([...releasesWanted, ...found.keys()])) {
  const path = found.get(release);
  describe(`kubectl ${release}`, { skip: path ? false : `no kubectl ${release} on this machine` }, () => {
    if (path) workflow(path, `kubectl-${release.replace('.', '-')}`);
  });
}
describe('kubectl of the newest release', { skip: built.skip }, () => workflow(built.path, 'kubectl-newest'));

const web = { name: 'web', image: 'nginx:1', ports: [{ containerPort: 80 }] };

function workflow(path: string, namespace: string): void {
  const args = (line: string | readonly string[]) => [
    '--namespace',
    namespace,
    ...(typeof line === 'string' ? line.split(' ') : line),
  ];
  const run = (line: string | readonly string[], options?: RunOptions): Promise<Outcome> =>
    server.run(path, args(line), options);
  const out = (line: string | readonly string[], options?: RunOptions) => server.output(path, args(line), options);
  const json = (object: object) => ({ stdin: JSON.stringify(object) });
  const field = (object: string, path: string) => out(['get', ...object.split(' '), '-o', `jsonpath={${path}}`]);

  test('apply, diff, server-side apply', async () => {
    assert.equal(await out(`create namespace ${namespace}`), `namespace/${namespace} created\n`);
    assert.equal(await out('apply -f -', json(deployment('app', 1, web))), 'deployment.apps/app created\n');
    assert.equal(await out('apply -f -', json(deployment('app', 1, web))), 'deployment.apps/app unchanged\n');
    const diff = await run('diff -f -', json(deployment('app', 2, web)));
    assert.deepEqual([diff.code, /\n- {2}replicas: 1\n\+ {2}replicas: 2\n/.test(diff.stdout)], [1, true], diff.stderr);
    assert.equal(await out('apply -f -', json(deployment('app', 2, web))), 'deployment.apps/app configured\n');
    assert.match(await out('rollout status deployment/app --timeout=20s'), /successfully rolled out/);
    await out('apply --server-side -f -', json(configMap('shared', { a: '1' })));
    const other = 'apply --server-side --field-manager=other -f -';
    const conflict = await run(other, json(configMap('shared', { a: '2' })));
    assert.match(conflict.stderr, /Apply failed with 1 conflict: conflict with "kubectl": \.data\.a/);
    await out(`${other} --force-conflicts`, json(configMap('shared', { a: '2' })));
    assert.equal(await field('cm shared', '.data.a'), '2');
    const strict = await run('apply -f -', json({ ...deployment('wrong', 1, web), spek: {} }));
    assert.match(strict.stderr, /strict decoding error: unknown field "spek"|unknown field "spek"/);
  });

  test('get: wide, YAML, jsonpath, columns, and as it changes', async () => {
    assert.match(
      await out('get deployments -o wide'),
      /^NAME .*READY.*CONTAINERS +IMAGES +SELECTOR\napp +2\/2 .*nginx:1/,
    );
    assert.match(await out('get pods -o wide'), /app-\S+ +1\/1 +Running .* node-\d/);
    assert.match(await out('get deployment app -o yaml'), /^apiVersion: apps\/v1\nkind: Deployment\n/m);
    assert.equal(await field('deployment app', '.spec.template.spec.containers[*].image'), 'nginx:1');
    assert.equal(await out('get deployment app -o custom-columns=N:.metadata.name --no-headers'), 'app\n');
    assert.match(
      await out('get all -l app=app -o name'),
      /^pod\/app-\S+\npod\/app-\S+\ndeployment\.apps\/app\nreplicaset/,
    );
    const watching = server.start(path, args('get configmap shared --watch -o jsonpath={.data.a},'));
    await watching.waitFor(/^2,$/);
    await out(['patch', 'configmap', 'shared', '--type=merge', '-p', '{"data":{"a":"3"}}']);
    await watching.waitFor(/^2,3,$/);
    await watching.end();
    assert.match((await run('get configmap nobody')).stderr, /\(NotFound\): configmaps "nobody" not found/);
  });

  test('patch of each type, edit, label, annotate, scale, set image, rollout undo', async () => {
    const container = { name: 'web', env: [{ name: 'A', value: '1' }] };
    const strategic = JSON.stringify({ spec: { template: { spec: { containers: [container] } } } });
    await out(['patch', 'deployment', 'app', '-p', strategic]);
    await out([
      'patch',
      'deployment',
      'app',
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/spec/replicas","value":1}]',
    ]);
    assert.equal(await field('deployment app', '.spec.replicas'), '1');
    const [one] = JSON.parse(await field('deployment app', '.spec.template.spec.containers')) as [typeof web];
    assert.deepEqual([one.image, one.ports[0]?.containerPort], ['nginx:1', 80]);
    const env = { EDITOR: "sed -i 's/replicas: 1/replicas: 3/'" };
    assert.equal(await out('edit deployment app', { env }), 'deployment.apps/app edited\n');
    await out('label deployment app tier=one');
    assert.match((await run('label deployment app tier=two')).stderr, /already has a value \(one\)/);
    await out('annotate deployment app note=here');
    assert.equal(await field('deployment app', '.metadata.annotations.note'), 'here');
    await out('scale deployment app --replicas=2');
    await out('rollout status deployment/app --timeout=20s');
    await out('set image deployment/app web=nginx:2');
    await out('rollout status deployment/app --timeout=20s');
    await out('rollout undo deployment/app');
    await out('rollout status deployment/app --timeout=20s');
    assert.equal(await field('deployment app', '.spec.template.spec.containers[0].image'), 'nginx:1');
  });

  test('wait, replace --force, run, expose, delete with its cascades', async () => {
    await out('wait --for=condition=Available deployment/app --timeout=20s');
    await out('wait --for=jsonpath={.spec.replicas}=2 deployment/app --timeout=20s');
    const uid = await field('cm shared', '.metadata.uid');
    await out('replace --force -f -', json(configMap('shared', { a: '9' })));
    assert.notEqual(await field('cm shared', '.metadata.uid'), uid);
    await out('run one --image=nginx --port=80 --labels=app=one');
    await out('wait --for=condition=Ready pod/one --timeout=20s');
    assert.equal(await out('expose pod one --port=80'), 'service/one exposed\n');
    assert.match(await out('describe service one'), /Endpoints: +\d+\.\d+\.\d+\.\d+:80/);
    await out('delete deployment app --cascade=orphan');
    assert.match(await out('get replicasets,pods -l app=app -o name'), /replicaset\.apps\/app-\S+\npod\/app-/);
    await out('delete replicasets -l app=app --cascade=foreground --timeout=20s');
    assert.equal(await out('get replicasets,pods -l app=app -o name'), '');
    await out('delete pod one --cascade=background --now');
    assert.match((await run('get pod one')).stderr, /NotFound/);
  });

  test('explain, api-resources, auth can-i, create token, create -f, delete namespace', async () => {
    assert.match(await out('explain deployment.spec.strategy.type'), /FIELD: type/);
    assert.match(await out('explain pods --recursive'), /terminationGracePeriodSeconds/);
    assert.match(await out('api-resources --api-group=apps'), /deployments +deploy +apps\/v1 +true +Deployment/);
    assert.match(await out('api-versions'), /^apps\/v1$/m);
    assert.match(await out('version -o json'), /"serverVersion"/);
    assert.equal(await out('auth can-i delete pods'), 'yes\n');
    const asNobody = await run('auth can-i delete pods --as=nobody');
    assert.deepEqual([asNobody.code, asNobody.stdout], [1, 'no\n']);
    assert.match(await out('create token default --duration=15m'), /^[\w-]+\.[\w-]+\.[\w-]+\s*$/);
    const file = join(server.folder, `${namespace}.json`);
    writeFileSync(file, JSON.stringify(configMap('made', { a: '1' })));
    assert.equal(await out(`create -f ${file}`), 'configmap/made created\n');
    assert.match((await run(`create -f ${file}`)).stderr, /\(AlreadyExists\)/);
    assert.match(await out('get events'), /SuccessfulCreate|ScalingReplicaSet/);
    assert.equal(await out(`delete namespace ${namespace}`), `namespace "${namespace}" deleted\n`);
  });
}
