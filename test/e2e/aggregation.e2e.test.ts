/** kubectl and an extension API server: a real HTTPS server of another process, behind an APIService. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createPki } from '@kubernode/apiserver';
import { systemClock } from '@kubernode/machinery';
import { startTestCluster, type Arguments, type TestMachine } from './harness.ts';
import type { RunningProcess } from './process.ts';

const group = 'wardle.example.com';
const port = 9443;
let cluster: TestMachine;
let extension: RunningProcess;
const out = (args: Arguments) => cluster.kubectlOutput(args);

/** Knows one flunder, and who asks: it trusts our X-Remote headers for the name in the client's certificate. */
const program = `
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
const group = ${JSON.stringify(group)};
const read = (name) => readFileSync(name, 'utf8');
const resources = [
  { name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder', verbs: ['get', 'list'], shortNames: ['flu'] },
];
const apiVersion = group + '/v1';
const flunder = { kind: 'Flunder', apiVersion, metadata: { name: 'one', namespace: 'default' } };
createServer({ cert: read('cert.pem'), key: read('key.pem'), requestCert: true, rejectUnauthorized: false }, (request, response) => {
  const path = request.url.split('?')[0];
  const proxy = request.socket.getPeerCertificate().subject?.CN;
  const documents = {
    ['/apis/' + apiVersion]: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources },
    ['/apis/' + apiVersion + '/namespaces/default/flunders']: { kind: 'FlunderList', apiVersion, metadata: {}, items: [flunder] },
    ['/apis/' + apiVersion + '/namespaces/default/flunders/one']: flunder,
    ['/apis/' + apiVersion + '/whoami']: { user: request.headers['x-remote-user'], groups: request.headers['x-remote-group'], proxy },
  };
  const found = documents[path];
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(found ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
}).listen(${port}, '127.0.0.1', () => console.log('serving'));
`;

before(async () => {
  cluster = await startTestCluster();
  const pki = createPki({ clock: systemClock, hosts: ['wardle.default.svc'] });
  const { certificate, key } = pki.serving;
  const file = (name: string, text: string) => writeFileSync(join(cluster.folder, name), text);
  file('cert.pem', certificate);
  file('key.pem', key);
  file('extension.mjs', program);
  extension = cluster.start(process.execPath, ['extension.mjs'], { cwd: cluster.folder });
  await extension.waitFor(/serving/);
  await cluster.apply([
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'wardle', namespace: 'default' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${group}` },
      spec: {
        group,
        version: 'v1',
        groupPriorityMinimum: 2000,
        versionPriority: 15,
        caBundle: Buffer.from(pki.clusterCa.certificate).toString('base64'),
        service: { namespace: 'default', name: 'wardle', port },
      },
    },
  ]);
  await out(`wait --for=condition=Available apiservice/v1.${group} --timeout=30s`);
});
after(async () => {
  await cluster?.stop();
});

test('kubectl finds the resources of an extension server, and gets them', async () => {
  assert.match(
    await out(`api-resources --api-group=${group}`),
    /flunders\s+flu\s+wardle\.example\.com\/v1\s+true\s+Flunder/,
  );
  assert.match(await out('get apiservices'), /v1\.wardle\.example\.com\s+default\/wardle\s+True/);
  assert.match(await out('get apiservices v1.apps'), /Local\s+True/);
  assert.match(await out('get flunders -o name'), /flunder\.wardle\.example\.com\/one/);
});

test('kubectl get --raw reaches an extension server as the user, by the front-proxy certificate', async () => {
  const me = JSON.parse(await out(['get', '--raw', `/apis/${group}/v1/whoami`])) as Record<string, string>;
  assert.equal(me['proxy'], 'front-proxy-client');
  assert.match(me['groups'] ?? '', /system:masters/);
  const raw = JSON.parse(await out(['get', '--raw', `/apis/${group}`])) as { preferredVersion: { version: string } };
  assert.equal(raw.preferredVersion.version, 'v1');
});

test('an extension server that is gone is told of, and leaves the rest alone', async () => {
  await extension.end();
  await out(`wait --for=condition=Available=false apiservice/v1.${group} --timeout=60s`);
  assert.match(
    await out('get apiservices'),
    /v1\.wardle\.example\.com\s+default\/wardle\s+False \(FailedDiscoveryCheck\)/,
  );
  const refused = await cluster.kubectl(['get', '--raw', `/apis/${group}/v1/whoami`]);
  assert.match(refused.stderr, /service unavailable|ServiceUnavailable|currently unable/);
  assert.match(await out('get namespaces -o name'), /namespace\/default/);
  await out(`delete apiservice v1.${group}`);
  assert.doesNotMatch(await out('get --raw /apis'), /wardle/);
});
