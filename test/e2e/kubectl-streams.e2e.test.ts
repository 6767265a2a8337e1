/** kubectl talks with containers: logs, exec, attach, cp, port-forward, debug. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTestCluster, testImage, type Arguments, type TestMachine } from './harness.ts';
import { deployment, pod, service, shell, webServer } from './manifests.ts';
import { until, type RunOptions } from './process.ts';

let cluster: TestMachine;
const out = (args: Arguments, options?: RunOptions) => cluster.kubectlOutput(args, options);
/** kubectl on a terminal of 100 columns and 40 rows. */
const onTerminal = (args: string, options?: RunOptions) =>
  cluster.exec('script', ['-qec', `stty cols 100 rows 40; kubectl ${args}`, '/dev/null'], options);
const counter = 'i=0; while :; do echo line $i; i=$((i+1)); sleep 0.2; done';

before(async () => {
  cluster = await startTestCluster();
  await cluster.apply([
    pod('alone', { containers: [shell('sleep 1000')] }),
    pod(
      'two',
      { containers: [shell(counter, { name: 'a' }), shell('echo ready; cat', { name: 'b', stdin: true })] },
      { labels: { app: 'two' } },
    ),
    pod('crash', { containers: [shell('echo run; exit 3')] }),
    deployment('web', 1, webServer()),
    service('web', 'web'),
  ]);
  await out('wait --for=condition=Ready pod/alone pod/two --timeout=30s');
  await out('rollout status deploy/web --timeout=30s');
});
after(() => cluster?.stop());

test('kubectl logs: whole, tail, since, bytes, prefix, of several', async () => {
  await until('lines of three seconds', async () => (await out('logs two -c a')).split('\n').length > 15);
  assert.match(await out('logs two -c a'), /^line 0\nline 1\nline 2\n/);
  assert.match(await out('logs two -c a --tail=2'), /^line \d+\nline \d+\n$/);
  assert.doesNotMatch(await out('logs two -c a --since=1s'), /line 0\n/);
  assert.match(await out('logs two -c a --since-time=2020-01-01T00:00:00Z'), /^line 0\n/);
  assert.equal(await out('logs two -c a --limit-bytes=9'), 'line 0\nli');
  assert.match(await out('logs two -c a --timestamps --tail=1'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z line \d+\n$/);
  // kubectl asks for the containers in no particular order.
  const prefixed = await out('logs two --all-containers --prefix');
  for (const line of ['[pod/two/a] line 0\n', '[pod/two/b] ready\n']) assert.ok(prefixed.includes(line), prefixed);
  assert.match(await out('logs -l app=two --all-containers'), /ready\n/);
  const defaulted = await cluster.kubectl('logs two');
  assert.match(defaulted.stderr, /Defaulted container "a" out of: a, b/);
});

test('kubectl logs -f: follows until the container ends', async () => {
  const endless = cluster.start('kubectl', 'logs -f two -c a --tail=1');
  await endless.waitFor(/(line \d+\n){5}/);
  await endless.end();
  await cluster.apply(pod('brief', { restartPolicy: 'Never', containers: [shell('echo one; sleep 1; echo two')] }));
  await out('wait --for=jsonpath={.status.phase}=Running pod/brief --timeout=20s');
  assert.equal(await out('logs -f brief'), 'one\ntwo\n');
});

test('kubectl logs --previous', async () => {
  await until(
    'restart',
    async () => (await out('get pod crash -o jsonpath={.status.containerStatuses[0].restartCount}')) !== '0',
  );
  assert.equal(await out('logs crash --previous'), 'run\n');
  const none = await cluster.kubectl('logs alone --previous');
  assert.match(none.stderr, /previous terminated container "main" in pod "alone" not found/);
});

test('kubectl exec: output, input, exit codes, and a command that is not there', async () => {
  assert.equal(await out('exec alone -- hostname'), 'alone\n');
  assert.equal(await out('exec -i alone -- cat', { stdin: 'from here\n' }), 'from here\n');
  const failed = await cluster.kubectl(['exec', 'alone', '--', 'sh', '-c', 'echo oops >&2; exit 7']);
  assert.deepEqual([failed.stderr, failed.code], ['oops\ncommand terminated with exit code 7\n', 7]);
  const nothing = await cluster.kubectl('exec alone -- nope');
  assert.match(nothing.stderr, /exec: "nope": executable file not found in \$PATH/);
  assert.equal((await out(['exec', 'alone', '--', 'head', '-c', '3000000', '/dev/zero'])).length, 3_000_000);
  assert.match((await cluster.kubectl('exec two -c nope -- true')).stderr, /container nope is not valid for pod two/);
  assert.match(await out('exec deploy/web -- hostname'), /^web-/);
});

test('kubectl exec -it: a terminal with its size', async () => {
  const { stdout, code } = await onTerminal(
    `exec -it alone -- sh -c 'tty; until stty size 2>/dev/null | grep "40 100"; do sleep 0.1; done; exit 3'`,
  );
  assert.match(stdout, /\/dev\/pts\/0\r\n.*40 100\r\n/s);
  assert.equal(code, 3);
  const running = cluster.start('script', ['-qec', 'kubectl exec -it alone -- sh', '/dev/null']);
  running.write('echo a$((1+1))b\n');
  await running.waitFor(/a2b/);
  running.write("echo s''leeps; sleep 100\n");
  await running.waitFor(/sleeps/);
  running.write('\x03');
  running.write('echo c$((2+2))d; exit\n');
  await running.waitFor(/c4d/);
  await running.outcome;
});

test('kubectl exec: over SPDY as older clients ask for it', async () => {
  const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };
  assert.equal(await out('exec -i alone -- cat', { stdin: 'spdy\n', env }), 'spdy\n');
  const failed = await cluster.kubectl(['exec', 'alone', '--', 'sh', '-c', 'exit 7'], { env });
  assert.equal(failed.code, 7);
});

test('kubectl attach: input and output of the main process', async () => {
  const attached = cluster.start('kubectl', 'attach -i two -c b');
  await attached.waitFor(/If you don't see a command prompt/);
  attached.write('hello cat\n');
  await attached.waitFor(/hello cat/);
  await attached.end();
  assert.match(await out('logs two -c b'), /ready\nhello cat\n/);
});

test('kubectl attach -it: a shell that waits for its user', async () => {
  const shellOnTerminal = { name: 'main', image: testImage, command: ['sh'], stdin: true, tty: true };
  await cluster.apply(pod('shell', { restartPolicy: 'Never', containers: [shellOnTerminal] }));
  await out('wait --for=condition=Ready pod/shell --timeout=20s');
  const attached = cluster.start('script', ['-qec', 'kubectl attach -it shell', '/dev/null']);
  await attached.waitFor(/If you don't see a command prompt/);
  attached.write('echo a$((1+2))b\n');
  await attached.waitFor(/a3b/);
  attached.write('exit\n');
  await attached.outcome;
  await out('wait --for=jsonpath={.status.phase}=Succeeded pod/shell --timeout=20s');
});

test('kubectl proxy and get --raw: through the API server to a pod, a Service and the kubelet', async () => {
  const core = '/api/v1/namespaces/default';
  assert.match(await out(`get --raw ${core}/services/web:http/proxy/`), /^web-/);
  const web = await out('get pods -l app=web -o jsonpath={.items[0].metadata.name}');
  assert.equal(await out(`get --raw ${core}/pods/${web}:8080/proxy/index.html`), `${web}\n`);
  const node = await out('get nodes -o jsonpath={.items[0].metadata.name}');
  assert.equal(await out(`get --raw /api/v1/nodes/${node}/proxy/healthz`), 'ok');
  const summary = JSON.parse(await out(`get --raw /api/v1/nodes/${node}/proxy/stats/summary`)) as { pods: unknown[] };
  assert.ok(summary.pods.length > 3);
  const proxy = cluster.start('kubectl', 'proxy --port=8001');
  await proxy.waitFor(/Starting to serve/);
  const { stdout } = await cluster.exec('busybox', `wget -q -O - http://127.0.0.1:8001${core}/services/web:80/proxy/`);
  assert.equal(stdout, `${web}\n`);
  await proxy.end();
});

test('kubectl run -i --rm', async () => {
  assert.equal(
    await out(`run once --image=${testImage} --rm -i -q --restart=Never -- cat`, { stdin: 'in and out\n' }),
    'in and out\n',
  );
  const { stdout } = await onTerminal(
    `run tty --image=${testImage} --rm -it --restart=Never -- sh -c 'until stty size 2>/dev/null | grep 0; do sleep 0.1; done'`,
  );
  assert.match(stdout, /40 100\r\n/);
  const failed = await cluster.kubectl(`run fails --image=${testImage} --rm -i -q --restart=Never -- false`);
  assert.equal(failed.code, 1);
});

test('kubectl cp: files and folders, both ways', async () => {
  const blob = join(cluster.folder, 'blob');
  writeFileSync(blob, randomBytes(2_000_000));
  await out(`cp ${blob} alone:/tmp/blob`);
  const sum = createHash('sha256').update(readFileSync(blob)).digest('hex');
  assert.match(await out('exec alone -- sha256sum /tmp/blob'), new RegExp(sum));
  await out(`cp alone:/tmp/blob ${blob}.back`);
  assert.deepEqual(readFileSync(`${blob}.back`), readFileSync(blob));
  const tree = join(cluster.folder, 'tree');
  mkdirSync(join(tree, 'sub'), { recursive: true });
  writeFileSync(join(tree, 'sub', 'file'), 'deep');
  await out(`cp ${tree} alone:/tmp/`);
  assert.equal(await out('exec alone -- cat /tmp/tree/sub/file'), 'deep');
});

test('kubectl port-forward: pod, Deployment and Service; a port where nobody listens', async () => {
  for (const [index, target] of ['deploy/web 9001:8080', 'svc/web 9002:80', 'svc/web 9003:http'].entries()) {
    const forward = cluster.start('kubectl', `port-forward ${target}`);
    await forward.waitFor(/Forwarding from 127\.0\.0\.1/);
    for (let request = 0; request < 3; request += 1) {
      const { stdout } = await cluster.exec('busybox', `wget -q -O - http://127.0.0.1:${9001 + index}/`);
      assert.match(stdout, /^web-/, `${target}, request ${request}`);
    }
    await forward.end();
  }
  const closed = cluster.start('kubectl', 'port-forward pod/alone 9009:1');
  await closed.waitFor(/Forwarding from 127\.0\.0\.1/);
  await cluster.exec('busybox', 'wget -q -O - http://127.0.0.1:9009/');
  await closed.waitFor(/[Cc]onnection refused/);
  await closed.end();
});

test('kubectl debug: an ephemeral container, a copy, a node', async () => {
  const general = '--profile=general';
  await out(`debug alone --image=${testImage} --target=main -c dbg -q ${general} -- sh -c ps`);
  const state = 'jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.reason}';
  await until(
    'end of the debug container',
    async () => (await out(['get', 'pod', 'alone', '-o', state])) === 'Completed',
  );
  assert.match(await out('logs alone -c dbg'), /sleep 1000/);
  await out(`debug alone --image=${testImage} --copy-to=copy --share-processes -q ${general} -- sleep 1000`);
  await out('wait --for=condition=Ready pod/copy --timeout=20s');
  const node = (await out('get nodes -o name')).trim();
  const made = await out(`debug ${node} --image=${testImage} -q --profile=sysadmin -- cat /host/etc/hostname`);
  const name =
    /pod (node-debugger-\S+)/.exec(made)?.[1] ?? (await out('get pods -o name')).match(/node-debugger-\S+/)?.[0];
  await out(`wait --for=jsonpath={.status.phase}=Succeeded pod/${name} --timeout=20s`);
  assert.equal(await out(`logs ${name}`), readFileSync('/etc/hostname', 'utf8'));
});

test('kubectl: clients that are killed in the middle of a stream harm nobody', async () => {
  const busy = 'while :; do echo busy; done';
  await cluster.apply(pod('busy', { containers: [shell(busy, { stdin: true })] }));
  await out('wait --for=condition=Ready pod/busy --timeout=20s');
  const spdy = { env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' } };
  const streams: readonly (readonly [Arguments, RunOptions])[] = [
    [['exec', 'alone', '--', 'sh', '-c', busy], {}],
    [['exec', '-i', 'alone', '--', 'sh', '-c', busy], {}],
    [['exec', 'alone', '--', 'sh', '-c', busy], spdy],
    ['attach -i busy', {}],
    ['attach busy', spdy],
    ['logs -f busy', {}],
  ];
  const kill = async ([args, options]: (typeof streams)[number]) => {
    const client = cluster.start('kubectl', args, options);
    await client.waitFor(/busy/);
    await client.end();
  };
  for (let round = 0; round < 5; round += 1) await Promise.all(streams.map(kill));
  const processes = () => out('exec alone -- ps');
  await until('end of the commands', async () => !(await processes()).includes('echo busy'), 10_000, processes);
  await out('delete pod busy --now');
});
