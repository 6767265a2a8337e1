/** kubectl reads the cluster: get with every output, watch, selectors, describe, explain, and what the API offers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestCluster, type TestMachine } from './harness.ts';
import { deployment, pod, shell, webServer } from './manifests.ts';

let cluster: TestMachine;
const out = (args: string | readonly string[]) => cluster.kubectlOutput(args);

before(async () => {
  cluster = await startTestCluster();
  await cluster.apply([
    deployment('web', 2, webServer()),
    pod('alone', { containers: [shell('sleep 1000')] }, { labels: { tier: 'back' } }),
  ]);
  await out('rollout status deploy/web --timeout=30s');
  await out('wait --for=condition=Ready pod/alone --timeout=20s');
});
after(() => cluster?.stop());

test('kubectl get: tables', async () => {
  assert.match(await out('get nodes -o wide'), /NAME +STATUS .*CONTAINER-RUNTIME\n\S+ +Ready +.*kubernode:/);
  assert.match(await out('get deploy'), /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2\/2 +2 +2 +\d+s\n$/);
  assert.match(await out('get pods -o wide'), /^NAME .*IP +NODE .*\nalone +1\/1 +Running +0 +\d+s +10\.\d+\.0\.\d+ /);
  assert.match(await out('get pods -A --show-labels'), /default +alone .* tier=back\n/);
  assert.match(await out('get all'), /pod\/web-.*service\/kubernetes.*deployment\.apps\/web.*replicaset\.apps\/web-/s);
  assert.match(await out('get svc,deploy --no-headers'), /^service\/kubernetes +ClusterIP .*\ndeployment.apps\/web /);
});

test('kubectl get: machine-readable outputs', async () => {
  assert.equal(JSON.parse(await out('get pod alone -o json')).status.phase, 'Running');
  assert.match(await out('get deploy web -o yaml'), /\n {2}readyReplicas: 2\n/);
  assert.equal(await out('get pod alone -o name'), 'pod/alone\n');
  assert.equal(await out('get pod alone -o jsonpath={.status.qosClass}'), 'BestEffort');
  assert.equal(await out(['get', 'pod', 'alone', '-o', 'go-template={{.metadata.labels.tier}}']), 'back');
  const columns = 'custom-columns=NAME:.metadata.name,PHASE:.status.phase';
  assert.match(await out(['get', 'pod', 'alone', '-o', columns]), /^NAME +PHASE\nalone +Running\n$/);
  assert.match(await out('get cm kube-root-ca.crt -o yaml --show-managed-fields'), /manager: kube-controller-manager/);
  assert.match(await out('get pods --chunk-size=1 -o name'), /^pod\/alone\npod\/web-.*\npod\/web-.*\n$/);
});

test('kubectl get: selectors and sorting', async () => {
  assert.equal(await out('get pods -l tier=back -o name'), 'pod/alone\n');
  assert.equal((await out(['get', 'pods', '-l', 'app in (web),!tier', '-o', 'name'])).split('\n').length, 3);
  assert.equal(await out('get pods --field-selector metadata.name=alone -o name'), 'pod/alone\n');
  const rest = await out('get pods --field-selector status.phase=Running,metadata.name!=alone -o name');
  assert.match(rest, /^(pod\/web-\S+\n){2}$/);
  const sorted = await out('get pods --sort-by=.metadata.name -o name');
  assert.deepEqual(sorted.split('\n'), sorted.split('\n').toSorted().slice(1).concat(''));
  const wrong = await cluster.kubectl('get pods --field-selector spec.nope=1');
  assert.match(wrong.stderr, /field label not supported: spec.nope/);
});

test('kubectl get -w: tells changes as they come', async () => {
  const watch = cluster.start('kubectl', 'get configmaps -w --no-headers --output-watch-events');
  await watch.waitFor(/ADDED +kube-root-ca.crt/);
  await out('create configmap seen --from-literal=a=1');
  await watch.waitFor(/ADDED +seen +1 /);
  await out('patch configmap seen -p {"data":{"b":"2"}}');
  await watch.waitFor(/MODIFIED +seen +2 /);
  await out('delete configmap seen');
  await watch.waitFor(/DELETED +seen +2 /);
});

test('kubectl get: what is not there', async () => {
  const cases = [
    ['get foo', `error: the server doesn't have a resource type "foo"\n`],
    ['get pod nope', 'Error from server (NotFound): pods "nope" not found\n'],
    ['get pods -n nope', 'No resources found in nope namespace.\n'],
    ['top nodes', 'error: Metrics API not available\n'],
    ['top pods', 'error: Metrics API not available\n'],
  ] as const;
  for (const [args, message] of cases) assert.equal((await cluster.kubectl(args)).stderr, message);
});

test('kubectl describe', async () => {
  const web = await out('describe deploy web');
  assert.match(web, /Replicas: +2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable/);
  assert.match(web, /Available +True +MinimumReplicasAvailable\n +Progressing +True +NewReplicaSetAvailable/);
  assert.match(web, /ScalingReplicaSet +\S+ +deployment-controller +Scaled up replica set web-\S+ from 0 to 2/);
  const alone = await out('describe pod alone');
  for (const reason of ['Scheduled', 'Pulled', 'Created', 'Started'])
    assert.match(alone, new RegExp(`Normal +${reason} `));
  const node = await out('describe nodes');
  assert.match(node, /Ready +True .*KubeletReady +kubelet is posting ready status/);
  assert.match(node, /Non-terminated Pods: +\(3 in total\)/);
  assert.match(await out('describe svc kubernetes'), /Endpoints: +10\.\d+\.0\.1:6443/);
});

test('kubectl explain: the structure of kinds', async () => {
  assert.match(
    await out('explain deployment.spec.strategy'),
    /FIELD: strategy <DeploymentStrategy>.*rollingUpdate\t</s,
  );
  assert.match(
    await out('explain pod.spec --recursive'),
    /containers\t<\[\]Container> -required-\n +args\t<\[\]string>/,
  );
  const wrong = await cluster.kubectl('explain pod.nope');
  assert.match(wrong.stderr, /field "nope" does not exist/);
});

test('kubectl: what the API offers', async () => {
  assert.match(await out('api-resources'), /deployments +deploy +apps\/v1 +true +Deployment/);
  assert.match(await out('api-resources --namespaced=false -o wide'), /nodes +no +v1 +false +Node +create,delete,/);
  const versions = (await out('api-versions')).trimEnd().split('\n');
  for (const version of ['v1', 'apps/v1', 'batch/v1', 'resource.k8s.io/v1']) assert.ok(versions.includes(version));
  assert.match(await out('version'), /Server Version: v1\.37\.\d+\+kubernode/);
  assert.match(await out('cluster-info'), /control plane.* is running at.*KubeDNS.* is running at/s);
  for (const path of ['/healthz', '/livez', '/readyz']) assert.equal(await out(`get --raw ${path}`), 'ok');
});

test('kubectl auth', async () => {
  assert.match(await out('auth whoami'), /Username +kubernetes-admin\nGroups +\[system:masters system:authenticated\]/);
  assert.equal(await out('auth can-i create pods'), 'yes\n');
  const denied = await cluster.kubectl('auth can-i create pods --as=bob');
  assert.deepEqual([denied.stdout, denied.code], ['no\n', 1]);
  assert.match(await out('auth can-i --list --as=bob'), /selfsubjectreviews.authentication.k8s.io .*\[create\]/);
  await out('create role reader --verb=get,list --resource=pods');
  await out('create rolebinding reader --role=reader --serviceaccount=default:default');
  assert.equal(await out('auth can-i list pods --as=system:serviceaccount:default:default'), 'yes\n');
  const token = (await out('create token default')).trim();
  assert.match(
    await out(['get', 'pods', `--token=${token}`, '-o', 'name', '--kubeconfig=/dev/null', ...server]),
    /alone/,
  );
  const refused = await cluster.kubectl(['get', 'svc', `--token=${token}`, '--kubeconfig=/dev/null', ...server]);
  assert.match(
    refused.stderr,
    /services is forbidden: User "system:serviceaccount:default:default" cannot list resource "services" in API group ""/,
  );
});

const server = ['--server=https://127.0.0.1:6443', '--insecure-skip-tls-verify', '-n', 'default'];

test('kubectl events', async () => {
  assert.match(await out('events'), /Normal +Started +Pod\/alone +Container started/);
  assert.match(await out('events --for pod/alone'), /Successfully assigned default\/alone to /);
  assert.match(await out('get events --field-selector reason=Started,involvedObject.name=alone'), /pod\/alone/);
  assert.match(await out('get events -A --sort-by=.lastTimestamp'), /NodeReady/);
  assert.match(await out('get events.v1.events.k8s.io'), /pod\/alone/);
});
