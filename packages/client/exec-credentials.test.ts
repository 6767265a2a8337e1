import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import { execCredentials, type ExecPlugin } from './exec-credentials.ts';
import { kubeconfigTransport } from './kubeconfig.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const clock = new FakeClock();
const options = { userName: 'u', clock, cluster: { server: 'https://h' }, directory: '.' };

/** A plugin that prints what a line of JavaScript makes of what it was told (`info`). */
function plugin(status: string, more: Partial<ExecPlugin> = {}): ExecPlugin {
  const script = `
    const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
    const status = ${status};
    console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: info.apiVersion, status }));`;
  return { apiVersion, command: process.execPath, args: ['-e', script], interactiveMode: 'Never', ...more };
}

test('execCredentials runs the plugin until its credentials expire, or are refused', async () => {
  const expirationTimestamp = new Date(clock.now() + 60_000).toISOString();
  const { current, refused } = execCredentials(
    plugin(`{ token: 't' + process.pid, expirationTimestamp: '${expirationTimestamp}' }`),
    options,
  );
  const [first, same] = await Promise.all([current(), current()]);
  assert.equal(first, same);
  assert.equal(await current(), first);
  await refused(first);
  const second = await current();
  assert.notEqual(second.token, first.token);
  await refused(first);
  assert.equal(await current(), second, 'others had been fetched already');
  await clock.advance(60_000);
  assert.notEqual((await current()).token, second.token);
});

test('execCredentials tells the plugin of the cluster, and gives it its environment', async () => {
  const status = `{ token: [info.kind, info.spec.cluster.server, info.spec.interactive, process.env.MORE].join() }`;
  const env = [{ name: 'MORE', value: 'm' }];
  const { token } = await execCredentials(plugin(status, { provideClusterInfo: true, env }), options).current();
  assert.equal(token, 'ExecCredential,https://h,false,m');
});

test('execCredentials says what is wrong, as client-go does', async () => {
  for (const [bad, message] of [
    [plugin('{}'), /exec plugin didn't return a token or cert\/key pair/],
    [plugin('undefined'), /exec plugin didn't return a status field/],
    [plugin('{ clientKeyData: "k" }'), /exec plugin returned only certificate or key, not both/],
    [plugin('process.exit(3)'), /exec: executable .* failed with exit code 3/],
    [{ ...plugin('{}'), args: ['-e', 'console.log("x")'] }, /decoding stdout: /],
    [
      { ...plugin('{}'), args: ['-e', 'console.log(JSON.stringify({ apiVersion: "v2" }))'] },
      /is configured to use API version client.authentication.k8s.io\/v1, plugin returned version v2/,
    ],
    [
      plugin('{}', { command: 'no-such-plugin', installHint: 'get it' }),
      /exec: executable no-such-plugin not found\n\nget it/,
    ],
  ] as const)
    await assert.rejects(execCredentials(bad, options).current(), message);
  const { interactiveMode: _, ...unsaid } = plugin('{}');
  assert.throws(() => execCredentials(unsaid, options), /interactiveMode must be specified for u/);
  assert.throws(() => execCredentials(plugin('{}', { apiVersion: 'x/v1' }), options), /invalid apiVersion "x\/v1"/);
  assert.doesNotThrow(() => execCredentials({ ...unsaid, apiVersion: `${apiVersion}beta1` }, options));
});

test('kubeconfigTransport shows what a plugin gives, and asks it again when that is refused', async (t) => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(seen.length === 1 ? 401 : 200, { 'content-type': 'application/json' });
    response.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = kubeconfigTransport({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: url } }],
    users: [{ name: 'u', user: { exec: plugin("{ token: 't' + process.pid }") } }],
  });
  t.after(async () => {
    await transport.close();
    server.close();
  });
  assert.deepEqual(await transport.request({ method: 'POST', path: '/x', body: {} }), { ok: true });
  const [first, second] = seen.map(({ authorization }) => authorization);
  assert.match(first!, /^Bearer t\d+$/);
  assert.notEqual(first, second);
});
