/** kubectl changes the cluster: create, apply, patch, edit, rollouts, expose, run, delete, wait, diff. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTestCluster, testImage, type Arguments, type TestMachine } from './harness.ts';
import { configMap, deployment, pod, service, shell, webServer } from './manifests.ts';
import type { RunOptions } from './process.ts';

let cluster: TestMachine;
const out = (args: Arguments, options?: RunOptions) => cluster.kubectlOutput(args, options);
const field = (object: string, path: string) => out(['get', ...object.split(' '), '-o', `jsonpath={${path}}`]);
const json = (object: object) => ({ stdin: JSON.stringify(object) });

before(async () => {
  cluster = await startTestCluster();
});
after(() => cluster?.stop());

test('kubectl create: every generator', async () => {
  const cases = {
    'namespace team': 'namespace/team',
    'configmap c --from-literal=a=1': 'configmap/c',
    'secret generic s --from-literal=a=1': 'secret/s',
    'serviceaccount builder': 'serviceaccount/builder',
    'role r --verb=get --resource=pods': 'role.rbac.authorization.k8s.io/r',
    'rolebinding r --role=r --user=bob': 'rolebinding.rbac.authorization.k8s.io/r',
    'clusterrole r --verb=get --resource=nodes': 'clusterrole.rbac.authorization.k8s.io/r',
    'clusterrolebinding r --clusterrole=r --user=bob': 'clusterrolebinding.rbac.authorization.k8s.io/r',
    'quota q --hard=pods=3 -n team': 'resourcequota/q',
    'poddisruptionbudget p --selector=app=x --min-available=1': 'poddisruptionbudget.policy/p',
    'priorityclass high --value=1000': 'priorityclass.scheduling.k8s.io/high',
    'ingress i --rule=foo.com/bar=svc:80': 'ingress.networking.k8s.io/i',
    'service clusterip cs --tcp=80:8080': 'service/cs',
    'service nodeport np --tcp=80:8080': 'service/np',
    'service externalname en --external-name=foo.bar': 'service/en',
    [`deployment d --image=${testImage} --replicas=0`]: 'deployment.apps/d',
    [`job j --image=${testImage} -- true`]: 'job.batch/j',
    [`cronjob c --image=${testImage} --schedule=@yearly -- true`]: 'cronjob.batch/c',
  };
  for (const [args, name] of Object.entries(cases)) assert.equal(await out(`create ${args}`), `${name} created\n`);
  const again = await cluster.kubectl('create namespace team');
  assert.match(again.stderr, /Error from server \(AlreadyExists\): namespaces "team" already exists/);
});

test('kubectl apply: creates, finds nothing to do, changes, and tells the difference first', async () => {
  const wanted = deployment('app', 1, shell('sleep 1000'));
  assert.equal(await out('apply -f -', json(wanted)), 'deployment.apps/app created\n');
  assert.equal(await out('apply -f -', json(wanted)), 'deployment.apps/app unchanged\n');
  assert.equal((await cluster.kubectl('diff -f -', json(wanted))).code, 0);
  const more = deployment('app', 2, shell('sleep 1000'));
  const diff = await cluster.kubectl('diff -f -', json(more));
  assert.match(diff.stdout, /\n- {2}replicas: 1\n\+ {2}replicas: 2\n/);
  assert.equal(diff.code, 1);
  assert.equal(
    await out('apply --dry-run=server -f -', json(more)),
    'deployment.apps/app configured (server dry run)\n',
  );
  assert.equal(await field('deploy app', '.spec.replicas'), '1');
  assert.equal(await out('apply -f -', json(more)), 'deployment.apps/app configured\n');
  assert.equal(await field('deploy app', '.spec.replicas'), '2');
});

test('kubectl apply --server-side: owns its fields, and tells conflicts', async () => {
  assert.match(await out('apply --server-side -f -', json(configMap('shared', { a: '1' }))), /serverside-applied/);
  const other = ['apply', '--server-side', '--field-manager=other', '-f', '-'];
  const conflict = await cluster.kubectl(other, json(configMap('shared', { a: '2' })));
  assert.match(conflict.stderr, /Apply failed with 1 conflict: conflict with "kubectl": \.data\.a/);
  await out([...other, '--force-conflicts'], json(configMap('shared', { a: '2', b: '3' })));
  assert.equal(await field('cm shared', '.data'), '{"a":"2","b":"3"}');
  await out(other, json(configMap('shared', { a: '2' })));
  assert.equal(await field('cm shared', '.data'), '{"a":"2"}');
});

test('kubectl patch: three types, and what is wrong with a patch', async () => {
  await out('patch deploy app -p {"spec":{"replicas":3}}');
  await out('patch deploy app --type=merge -p {"metadata":{"labels":{"x":"y"}}}');
  await out(['patch', 'deploy', 'app', '--type=json', '-p', '[{"op":"replace","path":"/spec/replicas","value":1}]']);
  assert.equal(await field('deploy app', '.spec.replicas'), '1');
  const wrong = await cluster.kubectl('patch deploy app -p {"spec":{"replicas":-1}}');
  assert.match(wrong.stderr, /"app" is invalid: spec\.replicas: Invalid value: -1: must be greater than or equal to 0/);
  assert.match((await cluster.kubectl('patch deploy app -p {"spec":{"nope":1}}')).stderr, /unknown field "spec\.nope"/);
});

test('kubectl label and annotate', async () => {
  await out('label deploy app tier=one');
  assert.match((await cluster.kubectl('label deploy app tier=two')).stderr, /already has a value \(one\)/);
  await out('label deploy app tier=two --overwrite');
  assert.equal(await field('deploy app', '.metadata.labels.tier'), 'two');
  await out('label deploy app tier-');
  await out(['annotate', 'deploy', 'app', 'note=hello world']);
  assert.equal(await field('deploy app', '.metadata.annotations.note'), 'hello world');
  await out('annotate deploy app note-');
  assert.equal(await field('deploy app', '.metadata.annotations.note'), '');
});

test('kubectl edit', async () => {
  const env = { EDITOR: 'sed -i s/replicas:.1/replicas:.2/' };
  assert.equal(
    await out('edit deploy app', { env: { EDITOR: "sed -i 's/replicas: 1/replicas: 2/'" } }),
    'deployment.apps/app edited\n',
  );
  assert.equal(await field('deploy app', '.spec.replicas'), '2');
  assert.match((await cluster.kubectl('edit deploy app', { env })).stderr, /no changes made/);
});

test('kubectl scale, set and rollout', async () => {
  await out('rollout status deploy/app --timeout=30s');
  assert.match(
    (await cluster.kubectl('scale deploy app --replicas=5 --current-replicas=9')).stderr,
    /Expected replicas to be 9, was 2/,
  );
  await out('scale deploy app --replicas=1');
  await out('set image deploy/app main=kubernode.local/nope:1');
  await out('annotate deploy app kubernetes.io/change-cause=nope');
  assert.match(await out('rollout history deploy/app'), /1 +<none>\n2 +nope\n/);
  assert.match(await out('rollout history deploy/app --revision=2'), /Image:\tkubernode.local\/nope:1/);
  assert.match(await out('rollout undo deploy/app'), /rolled back/);
  await out('rollout status deploy/app --timeout=30s');
  assert.equal(await field('deploy app', '.spec.template.spec.containers[0].image'), testImage);
  await out('rollout restart deploy/app');
  assert.match(await out('rollout status deploy/app --timeout=30s'), /successfully rolled out/);
  await out('rollout pause deploy/app');
  await out('set env deploy/app COLOR=red');
  await out('set resources deploy/app --limits=memory=64Mi --requests=cpu=10m');
  await out('set serviceaccount deploy/app builder');
  assert.match((await cluster.kubectl('rollout status deploy/app --timeout=1s')).stdout, /0 out of 1 new replicas/);
  await out('rollout resume deploy/app');
  await out('rollout status deploy/app --timeout=30s');
  assert.equal(await out(['exec', 'deploy/app', '--', 'sh', '-c', 'echo $COLOR']), 'red\n');
});

test('kubectl expose and run', async () => {
  await cluster.apply(deployment('web', 1, webServer()));
  await out('expose deploy web --port=80 --target-port=http');
  await out('rollout status deploy/web --timeout=30s');
  const fetched = await out(`run once --image=${testImage} --rm -i --restart=Never -q -- wget -q -O - http://web/`);
  assert.match(fetched, /^web-/);
  await out(`run server --image=${testImage} --port=80 --expose --env=A=B --labels=x=y -- sleep 1000`);
  assert.equal(await field('svc server', '.spec.selector'), '{"x":"y"}');
  assert.match(
    await out(`run dry --image=${testImage} --dry-run=client -o yaml -- sleep 5`),
    /^apiVersion: v1\nkind: Pod/,
  );
  assert.equal(await out(`run dry --image=${testImage} --dry-run=server -o name`), 'pod/dry\n');
  await out('set selector svc server app=web');
  await out('autoscale deploy web --max=3 --cpu-percent=50');
});

test('kubectl replace and create -f of several documents', async () => {
  const [a, b] = [configMap('doc-a', { k: '1' }), configMap('doc-b', { k: '1' })].map((item) => JSON.stringify(item));
  assert.equal(
    await out('create -f -', { stdin: `---\n${a}\n---\n${b}\n` }),
    'configmap/doc-a created\nconfigmap/doc-b created\n',
  );
  await out('replace -f -', json(configMap('doc-a', { k: '2' })));
  await out('replace --force -f -', json(configMap('doc-b', { k: '3' })));
  assert.equal((await field('cm doc-a', '.data.k')) + (await field('cm doc-b', '.data.k')), '23');
});

test('kubectl apply -k: kustomize', async () => {
  const folder = join(cluster.folder, 'kustomized');
  mkdirSync(folder);
  const generator = 'configMapGenerator: [{ name: made, literals: [a=b] }]';
  writeFileSync(join(folder, 'kustomization.yaml'), `namePrefix: k-\n${generator}\n`);
  assert.match(await out(`apply -k ${folder}`), /configmap\/k-made-\w+ created/);
  assert.match(await out(`delete -k ${folder}`), /deleted/);
});

test('kubectl delete: graceful, at once, by label, and waiting', async () => {
  const script = 'trap "sleep 1; exit 0" TERM; while :; do sleep 0.1; done';
  await cluster.apply(
    ['slow', 'rude', 'a', 'b'].map((name) =>
      pod(
        name,
        { containers: [shell(script)], terminationGracePeriodSeconds: 20 },
        { labels: { set: name.length === 1 ? 'short' : name } },
      ),
    ),
  );
  await out('wait --for=condition=Ready pod slow rude a b --timeout=20s');
  const startedMs = Date.now();
  const waiting = cluster.start('kubectl', 'wait --for=delete pod/slow --timeout=20s');
  assert.equal(await out('delete pod slow'), 'pod "slow" deleted\n');
  const tookMs = Date.now() - startedMs;
  assert.ok(tookMs > 900 && tookMs < 8_000, `graceful deletion took ${tookMs} ms`);
  assert.equal((await waiting.outcome).code, 0);
  assert.match(await out('delete pod rude --force --grace-period=0'), /pod "rude" force deleted/);
  assert.match(await out('delete pods -l set=short --now'), /"a" deleted.*"b" deleted/s);
  assert.match((await cluster.kubectl('delete pod nope')).stderr, /pods "nope" not found/);
  assert.equal(await out('delete pod nope --ignore-not-found'), '');
});

test('kubectl certificate approve: a user of its own', async () => {
  const keyFile = join(cluster.folder, 'alice.key');
  const request = await cluster.exec(
    'openssl',
    `req -new -newkey rsa:2048 -nodes -keyout ${keyFile} -subj /CN=alice/O=dev`,
  );
  assert.equal(request.code, 0, request.stderr);
  const spec = {
    request: Buffer.from(request.stdout).toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['client auth'],
  };
  const metadata = { name: 'alice' };
  await cluster.apply({ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata, spec });
  await out('certificate approve alice');
  await out('wait --for=jsonpath={.status.certificate} csr/alice --timeout=20s');
  const file = join(cluster.folder, 'alice.crt');
  writeFileSync(file, Buffer.from(await field('csr alice', '.status.certificate'), 'base64'));
  await out(`config set-credentials alice --client-certificate=${file} --client-key=${keyFile}`);
  await out(`config set-context alice --cluster=${await clusterName()} --user=alice`);
  assert.match(await out('auth whoami --context=alice'), /Username +alice\nGroups +\[dev system:authenticated\]/);
});

const clusterName = () => out('config view -o jsonpath={.clusters[0].name}');

test('kubectl wait: conditions, fields, and time that runs out', async () => {
  await cluster.apply(pod('waits', { containers: [shell('sleep 1000')] }));
  await out('wait --for=jsonpath={.status.phase}=Running pod/waits --timeout=20s');
  await out('wait --for=create pod/waits --timeout=5s');
  const late = await cluster.kubectl('wait --for=condition=Nope pod/waits --timeout=1s');
  assert.match(late.stderr, /timed out waiting for the condition on pods\/waits/);
});

test('kubectl delete --cascade: background, foreground, orphan', async () => {
  for (const cascade of ['background', 'foreground', 'orphan']) {
    const name = `cascade-${cascade}`;
    await cluster.apply(deployment(name, 1, shell('sleep 1000')));
    await out(`rollout status deploy/${name} --timeout=30s`);
    await out(`delete deploy ${name} --cascade=${cascade}`);
    if (cascade === 'orphan') {
      assert.match(await out(`get rs,pods -l app=${name} -o name`), /replicaset\.apps\/cascade-.*\npod\/cascade-/);
      assert.equal(await field(`rs -l app=${name}`, '.items[*].metadata.ownerReferences'), '');
    } else if (cascade === 'foreground') {
      assert.equal(await out(`get rs,pods -l app=${name} -o name`), '');
    } else {
      await out(`wait --for=delete pod -l app=${name} --timeout=20s`);
    }
  }
});

test('kubectl delete namespace: takes everything in it along', async () => {
  await cluster.apply([
    pod('inside', { containers: [shell('sleep 1000')] }, { namespace: 'team' }),
    { ...service('svc', 'x'), metadata: { name: 'svc', namespace: 'team' } },
  ]);
  await out('wait --for=condition=Ready pod/inside -n team --timeout=20s');
  await out('delete namespace team --timeout=30s');
  assert.match((await cluster.kubectl('get ns team')).stderr, /not found/);
  assert.equal(await out('get pods,svc,cm -n team -o name'), '');
});
