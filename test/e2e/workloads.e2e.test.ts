/** Workloads on a real node: Jobs, CronJobs, StatefulSets, DaemonSets, rolling updates, and a node that is drained. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestCluster, type Arguments, type TestMachine } from './harness.ts';
import { deployment, pod, podTemplate, service, shell, webServer } from './manifests.ts';
import { until } from './process.ts';

let cluster: TestMachine;
const out = (args: Arguments) => cluster.kubectlOutput(args);
const field = (object: string, path: string) => out(['get', ...object.split(' '), '-o', `jsonpath={${path}}`]);
const names = async (selector: string) => (await out(`get pods -l ${selector} -o name`)).split('\n').filter(Boolean);

before(async () => {
  cluster = await startTestCluster();
});
after(() => cluster?.stop());

function job(name: string, script: string, spec: object = {}): object {
  const template = podTemplate({ app: name }, shell(script), { restartPolicy: 'Never' });
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template, ...spec } };
}

test('Deployment: a rolling update answers all the time', async () => {
  const lifecycle = { preStop: { exec: { command: ['sleep', '1'] } } };
  const web = (version: string) => webServer({ lifecycle, env: [{ name: 'VERSION', value: version }] });
  const more = { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } };
  const slowEnd = (object: object) => {
    const copy = structuredClone(object) as { spec: { template: { spec: { terminationGracePeriodSeconds: number } } } };
    copy.spec.template.spec.terminationGracePeriodSeconds = 5;
    return copy;
  };
  await cluster.apply([slowEnd(deployment('web', 2, web('1'), more)), service('web', 'web')]);
  await out('rollout status deploy/web --timeout=30s');
  await cluster.apply(pod('client', { containers: [shell('sleep 1000')] }));
  await out('wait --for=condition=Ready pod/client --timeout=20s');
  const script = 'while :; do wget -q -O - http://web/ >/dev/null && echo good || echo bad; done';
  const asking = cluster.start('kubectl', ['exec', 'client', '--', 'sh', '-c', script]);
  await asking.waitFor(/good/);
  await cluster.apply(slowEnd(deployment('web', 2, web('2'), more)));
  await out('rollout status deploy/web --timeout=40s');
  const { stdout } = await asking.end();
  const bad = stdout.split('\n').filter((line) => line === 'bad').length;
  assert.equal(bad, 0, `${bad} requests failed of ${stdout.split('\n').length}`);
});

test('Job: completes, in parallel, indexed, and fails for good', async () => {
  await cluster.apply([
    job('once', 'echo done'),
    job('many', 'echo $JOB_COMPLETION_INDEX', { completions: 3, parallelism: 3, completionMode: 'Indexed' }),
    job('fails', 'exit 1', { backoffLimit: 0 }),
    job('brief', 'true', { ttlSecondsAfterFinished: 0 }),
  ]);
  await out('wait --for=condition=Complete job/once job/many --timeout=40s');
  assert.equal(await out('logs job/once'), 'done\n');
  assert.equal(await field('job many', '.status.completedIndexes'), '0-2');
  assert.match(await out('get job many --no-headers'), /many +Complete +3\/3/);
  const logs = await out('logs -l job-name=many --tail=-1');
  assert.deepEqual(logs.trim().split('\n').toSorted(), ['0', '1', '2']);
  await out('wait --for=condition=Failed job/fails --timeout=30s');
  assert.equal(await field('job fails', '.status.conditions[?(@.type=="Failed")].reason'), 'BackoffLimitExceeded');
  await out('wait --for=delete job/brief --timeout=20s');
  await out('delete job many');
  await until('end of its pods', async () => (await names('job-name=many')).length === 0);
});

test('CronJob: a Job made of it by hand, and suspended', async () => {
  await cluster.kubectlOutput([
    'create',
    'cronjob',
    'tick',
    '--image=kubernode.local/demo:1',
    '--schedule=0 0 1 1 *',
    '--',
    'echo',
    'tick',
  ]);
  await out('create job tock --from=cronjob/tick');
  await out('wait --for=condition=Complete job/tock --timeout=20s');
  assert.equal(await out('logs job/tock'), 'tick\n');
  await out(['patch', 'cronjob', 'tick', '-p', '{"spec":{"suspend":true}}']);
  assert.match(await out('get cronjob tick --no-headers'), /tick +0 0 1 1 \* +<none> +True +0 /);
});

test('StatefulSet: in order, by name, with an update from the end', async () => {
  const labels = { app: 'db' };
  const set = (version: string) => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: {
      serviceName: 'db',
      replicas: 2,
      selector: { matchLabels: labels },
      template: podTemplate(labels, webServer({ env: [{ name: 'VERSION', value: version }] })),
    },
  });
  const headless = service('db', 'db', { clusterIP: 'None', ports: [{ name: 'http', port: 8080 }] });
  await cluster.apply([headless, set('1')]);
  await out('rollout status sts/db --timeout=40s');
  assert.deepEqual(await names('app=db'), ['pod/db-0', 'pod/db-1']);
  const fetched = () => cluster.kubectl('exec db-0 -- wget -q -O - http://db-1.db:8080/');
  await until('a name of its own', async () => (await fetched()).stdout === 'db-1\n');
  const before = await field('pod db-0', '.metadata.uid');
  await cluster.apply(set('2'));
  await out('rollout status sts/db --timeout=40s');
  assert.notEqual(await field('pod db-0', '.metadata.uid'), before);
  assert.match(await out('rollout history sts/db'), /1 +<none>\n2 +<none>/);
  await out('scale sts db --replicas=1');
  await out('wait --for=delete pod/db-1 --timeout=20s');
});

test('DaemonSet: on the node, tainted or not as it tolerates', async () => {
  const labels = { app: 'agent' };
  await cluster.apply({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent' },
    spec: { selector: { matchLabels: labels }, template: podTemplate(labels, shell('sleep 1000')) },
  });
  await out('rollout status ds/agent --timeout=30s');
  assert.match(await out('get ds agent --no-headers'), /agent +1 +1 +1 +1 +1 /);
  await out('set env ds/agent COLOR=red');
  await out('rollout status ds/agent --timeout=30s');
  assert.match(await out('rollout history ds/agent'), /1 +<none>\n2 +<none>/);
});

test('ResourceQuota and LimitRange: what is too much is refused', async () => {
  await out('create namespace tight');
  await out('create quota few --hard=pods=1,configmaps=5 -n tight');
  await until('usage', async () => (await field('quota few -n tight', '.status.used.pods')) === '0');
  await cluster.apply(pod('first', { containers: [shell('sleep 1000')] }, { namespace: 'tight' }));
  const manifest = JSON.stringify(pod('second', { containers: [shell('sleep 1000')] }, { namespace: 'tight' }));
  const second = await cluster.kubectl('apply -f -', { stdin: manifest });
  assert.match(
    second.stderr,
    /"second" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1/,
  );
  await out('delete namespace tight --wait=false');
});

test('kubectl taint, cordon and drain: with a budget that must be kept', async () => {
  const node = await out('get nodes -o jsonpath={.items[0].metadata.name}');
  await out(`taint node ${node} key=value:NoSchedule`);
  await cluster.apply(pod('late', { containers: [shell('sleep 1000')] }));
  await until('refusal', async () => /untolerated taint/.test(await out('events --for pod/late')));
  await out(`taint node ${node} key-`);
  await out('wait --for=condition=Ready pod/late --timeout=20s');
  await out(`cordon ${node}`);
  assert.match(await out('get nodes'), /Ready,SchedulingDisabled/);
  const refused = await cluster.kubectl(`drain ${node} --timeout=3s`);
  assert.match(refused.stderr, /cannot delete DaemonSet-managed Pods.*|cannot delete Pods that declare no controller/);
  await out('create pdb web --selector=app=web --min-available=2');
  await until('a budget', async () => (await field('pdb web', '.status.currentHealthy')) === '2');
  const drain = `drain ${node} --ignore-daemonsets --delete-emptydir-data --force`;
  const kept = await cluster.kubectl(`${drain} --timeout=4s`);
  assert.match(kept.stderr, /Cannot evict pod as it would violate the pod's disruption budget/);
  assert.equal((await names('app=web')).length, 2);
  await out('delete pdb web');
  assert.match(await out(`${drain} --timeout=40s`), /drained/);
  const still = JSON.parse(await out('get pods -o json')) as {
    items: { spec: { nodeName?: string }; metadata: { name: string } }[];
  };
  assert.deepEqual(
    still.items.filter(({ spec }) => spec.nodeName).map(({ metadata }) => metadata.name.replace(/-.*/, '')),
    ['agent'],
  );
  await out(`uncordon ${node}`);
  await out('rollout status deploy/web --timeout=30s');
});
