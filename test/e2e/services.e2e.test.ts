/** Services from real pods: cluster addresses, node ports, affinity, names, and addresses that nobody has. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestCluster, type Arguments, type TestMachine } from './harness.ts';
import { deployment, pod, service, shell, webServer } from './manifests.ts';
import { until } from './process.ts';

const nodePort = 30_123;
let cluster: TestMachine;
let servers: string[];
const out = (args: Arguments) => cluster.kubectlOutput(args);
const inClient = (script: string) => cluster.kubectl(['exec', 'client', '--', 'sh', '-c', script]);
/** The different answers of twenty requests from a pod. */
async function answers(url: string, client = 'client'): Promise<string[]> {
  const script = `for i in $(seq 20); do wget -q -O - ${url}; done | sort -u`;
  return (await out(['exec', client, '--', 'sh', '-c', script])).trim().split('\n').toSorted();
}

before(async () => {
  cluster = await startTestCluster();
  const ports = [{ port: 80, targetPort: 8080, nodePort }];
  await cluster.apply([
    deployment('echo', 3, webServer()),
    service('echo', 'echo'),
    service('sticky', 'echo', { sessionAffinity: 'ClientIP' }),
    service('headless', 'echo', { clusterIP: 'None', ports: [{ name: 'http', port: 8080 }] }),
    service('outside', 'echo', { type: 'NodePort', ports }),
    service('alias', 'echo', { type: 'ExternalName', externalName: 'echo.default.svc.cluster.local' }),
    service('empty', 'nobody'),
    pod('client', { containers: [shell('sleep 1000')] }),
  ]);
  await out('rollout status deploy/echo --timeout=30s');
  await out('wait --for=condition=Ready pod/client --timeout=30s');
  servers = (await out(['get', 'pods', '-l', 'app=echo', '-o', 'jsonpath={.items[*].metadata.name}']))
    .split(' ')
    .toSorted();
  await until('all endpoints', async () => (await answers('http://echo/')).length === 3);
});
after(() => cluster?.stop());

test('service: a cluster address leads to every pod, also to the one that asks', async () => {
  assert.deepEqual(await answers('http://echo/'), servers);
  assert.deepEqual(await answers('http://echo.default.svc.cluster.local/', servers[0]), servers);
});

test('service: session affinity, ExternalName, headless', async () => {
  assert.equal((await answers('http://sticky/')).length, 1);
  assert.ok(servers.includes((await answers('http://alias/'))[0] ?? ''));
  assert.ok(servers.includes((await answers('http://headless:8080/'))[0] ?? ''));
});

test('service: node port, on the node and on loopback', async () => {
  const address = await out('get nodes -o jsonpath={.items[0].status.addresses[0].address}');
  for (const host of [address, '127.0.0.1']) {
    const { stdout } = await cluster.exec('busybox', `wget -q -O - http://${host}:${nodePort}/`);
    assert.ok(servers.includes(stdout.trim()), `${host} answered ${JSON.stringify(stdout)}`);
  }
});

test('service: names of services and pods: A, SRV, PTR, and names that are not there', async () => {
  const server = await out('get svc kube-dns -n kube-system -o jsonpath={.spec.clusterIP}');
  const ips = (await out(['get', 'pods', '-l', 'app=echo', '-o', 'jsonpath={.items[*].status.podIP}'])).split(' ');
  const domain = 'default.svc.cluster.local';
  const dashed = (ip = '') => ip.replaceAll('.', '-');
  const questions: readonly (readonly [string, string])[] = [
    ['A', `echo.${domain}`],
    ['A', `headless.${domain}`],
    ['SRV', `_http._tcp.headless.${domain}`],
    ['SRV', `_http._tcp.echo.${domain}`],
    ['PTR', `${ips[0]?.split('.').toReversed().join('.')}.in-addr.arpa`],
    ['A', `nope.${domain}`],
    ['A', 'example.com'],
  ];
  const program = `const { Resolver } = require('dns').promises; const resolver = new Resolver();
    resolver.setServers(['${server}']); const ask = ([type, name]) => resolver.resolve(name, type).catch((e) => e.code);
    Promise.all(${JSON.stringify(questions)}.map(ask)).then((all) => console.log(JSON.stringify(all)))`;
  const { stdout } = await cluster.exec(process.execPath, ['-e', program]);
  const [a, all, srv, own, ptr, nope, example] = JSON.parse(stdout);
  assert.deepEqual(a, [await out('get svc echo -o jsonpath={.spec.clusterIP}')]);
  assert.deepEqual(all.toSorted(), ips.toSorted());
  assert.deepEqual(
    srv.map(({ name, port }: { name: string; port: number }) => `${name}:${port}`).toSorted(),
    ips.map((ip) => `${dashed(ip)}.headless.${domain}:8080`).toSorted(),
  );
  assert.equal(`${own[0].name}:${own[0].port}`, `echo.${domain}:80`);
  assert.deepEqual(ptr, [`${dashed(ips[0])}.headless.${domain}`]);
  assert.deepEqual([nope, example], ['ENOTFOUND', 'EREFUSED']);
  assert.match(
    (await inClient('nslookup headless')).stdout + (await inClient('nslookup echo.default')).stdout,
    /echo\.default/,
  );
});

test('service: without endpoints, or an address that is no service: refused on the spot', async () => {
  const empty = await out('get svc empty -o jsonpath={.spec.clusterIP}');
  const unused = empty.replace(/\.\d+\.\d+$/, '.254.254');
  for (const address of [empty, unused]) {
    const startedMs = Date.now();
    assert.match((await inClient(`nc -w 5 ${address} 80`)).stderr, /refused|unreachable|No route/, address);
    assert.ok(Date.now() - startedMs < 3_000, `${address} took ${Date.now() - startedMs} ms`);
  }
});

test('service: follows readiness, scale and deletion', async () => {
  await out('scale deploy echo --replicas=1');
  await until('one server', async () => (await answers('http://echo/')).length === 1);
  await out(['patch', 'svc', 'echo', '-p', '{"spec":{"selector":{"app":"nobody"}}}']);
  await until('refusal', async () => /refused/.test((await inClient('nc -w 2 echo 80')).stderr));
  await out('delete svc echo');
  await until('no name', async () =>
    /NXDOMAIN|can't resolve|can't find/.test(
      Object.values(await inClient('nslookup echo.default.svc.cluster.local')).join(),
    ),
  );
});

test('port: a hostPort leads to its pod', async () => {
  const ports = [{ name: 'http', containerPort: 8080, hostPort: 8088 }];
  await cluster.apply(pod('on-host', { containers: [webServer({ ports })] }));
  await out('wait --for=condition=Ready pod/on-host --timeout=20s');
  const address = await out('get nodes -o jsonpath={.items[0].status.addresses[0].address}');
  const { stdout } = await cluster.exec('busybox', `wget -q -O - http://${address}:8088/`);
  assert.equal(stdout, 'on-host\n');
});
