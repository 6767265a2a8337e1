import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { silentLogger, systemClock } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { createPki } from '../pki/pki.ts';
import { startApiServer } from '../server.ts';
import { withSecurity } from '../with-security.ts';
import { networkTransport } from './kubelet-transport.ts';

const pki = createPki({ clock: systemClock });
const ca = pki.clusterCa.certificate;

/** Answers with who asks and for what; an upgraded connection is echoed. */
async function fakeKubelet(): Promise<{ server: Server; port: number }> {
  const { certificate, key } = pki.kubelet('n1', ['127.0.0.1']).serving;
  const server = createServer(
    { cert: certificate, key, ca, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject;
      response.end(`${String(CN)} ${request.method} ${request.url}`);
    },
  );
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: ${request.headers.upgrade}\r\nconnection: Upgrade\r\n\r\n`,
    );
    socket.write(`${request.url}\n`);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

async function startServer(kubeletPort: number) {
  const client = pki.client('kube-apiserver-kubelet-client');
  const common = { clock: systemClock, log: silentLogger, random: Math.random };
  const transport = networkTransport({ clientCertificate: client.certificate, clientKey: client.key, kubeletCa: ca });
  const server = await startApiServer({
    store: memoryStore(),
    ...common,
    listen: { host: '127.0.0.1', port: 0 },
    ...withSecurity({
      ...common,
      serviceAccountSigningKey: pki.serviceAccountKey,
      tokenFile: 'admintoken,admin,1,system:masters\n',
      serviceRanges: ['10.96.0.0/16'],
      serviceAddress: '10.96.0.1',
      endpoint: () => undefined,
      kubeletTransport: transport,
    }),
  });
  const admin = server.transport('system:admin');
  const post = (path: string, body: object) => admin.request({ method: 'POST', path, body });
  await post('/api/v1/nodes', { metadata: { name: 'n1' } });
  await admin.request({
    method: 'PATCH',
    path: '/api/v1/nodes/n1/status',
    contentType: 'application/merge-patch+json',
    body: {
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
      },
    },
  });
  await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] };
  await post('/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
  return { server, transport, url: new URL(server.url!) };
}

test('networkTransport carries logs and upgraded connections to a kubelet that knows the API server', async () => {
  const kubelet = await fakeKubelet();
  const { server, transport, url } = await startServer(kubelet.port);
  const pod = '/api/v1/namespaces/default/pods/p';
  const headers = { authorization: 'Bearer admintoken' };
  try {
    const log = await fetch(new URL(`${pod}/log?tailLines=3`, url), { headers });
    assert.equal(await log.text(), 'kube-apiserver-kubelet-client GET /containerLogs/default/p/c?tailLines=3');
    const upgrade = httpRequest(new URL(`${pod}/exec?command=ls&stdout=1`, url), {
      headers: { ...headers, connection: 'Upgrade', upgrade: 'SPDY/3.1' },
    });
    upgrade.end();
    const [response, socket, head] = (await once(upgrade, 'upgrade')) as [IncomingMessage, Socket, Buffer];
    assert.equal(response.headers.upgrade, 'SPDY/3.1');
    socket.write('echo');
    let text = head.toString();
    while (!text.endsWith('echo')) text += String((await once(socket, 'data'))[0]);
    assert.equal(text, '/exec/default/p/c?output=1&command=ls\necho');
    socket.destroy();
  } finally {
    await server.stop();
    transport.close();
    kubelet.server.closeAllConnections();
    kubelet.server.close();
  }
});
