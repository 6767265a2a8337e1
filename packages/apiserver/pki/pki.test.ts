import assert from 'node:assert/strict';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { FakeClock, systemClock } from '@kubernode/machinery';
import { certificateUser } from '../authentication/certificate.ts';
import { kubeconfig } from './kubeconfig.ts';
import { createPki } from './pki.ts';

const dayMs = 24 * 3600 * 1000;

test('createPki signs all certificates with its authorities', () => {
  const pki = createPki({
    clock: new FakeClock(),
    hosts: ['10.1.2.3', 'api.example.com'],
    serviceAddresses: ['10.96.0.1'],
  });
  const authority = new X509Certificate(pki.clusterCa.certificate);
  assert.equal(authority.ca, true);
  const serving = new X509Certificate(pki.serving.certificate);
  assert.ok(serving.verify(authority.publicKey));
  assert.ok(serving.checkIssued(authority));
  assert.ok(serving.checkPrivateKey(createPrivateKey(pki.serving.key)));
  for (const host of ['kubernetes.default.svc.cluster.local', 'localhost', 'api.example.com'])
    assert.equal(serving.checkHost(host), host);
  for (const address of ['10.96.0.1', '10.1.2.3', '127.0.0.1', '::1']) assert.ok(serving.checkIP(address), address);
  const node = new X509Certificate(pki.kubelet('n1', ['192.0.2.1']).client.certificate);
  assert.deepEqual(certificateUser(node.raw), { name: 'system:node:n1', groups: ['system:nodes'] });
});

test('createPki keeps its files to their owner, and renews before the end', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pki-'));
  try {
    const clock = new FakeClock();
    const first = createPki({ folder, clock });
    const admin = first.client('admin');
    const signer = first.serviceAccountKey;
    assert.equal(statSync(join(folder, 'admin.key')).mode & 0o777, 0o600);
    const later = (days: number) => new FakeClock(clock.now() + days * dayMs);
    assert.deepEqual(createPki({ folder, clock: later(300) }).client('admin'), admin);
    const renewed = createPki({ folder, clock: later(340) });
    assert.notDeepEqual(renewed.client('admin'), admin);
    assert.equal(renewed.serviceAccountKey, signer);
    assert.deepEqual(renewed.clusterCa, first.clusterCa);
    const serving = renewed.serving;
    assert.notDeepEqual(createPki({ folder, clock: later(340), hosts: ['new.example.com'] }).serving, serving);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('createPki makes certificates that TLS accepts, both ways', async () => {
  const pki = createPki({ clock: systemClock });
  const ca = pki.clusterCa.certificate;
  const server = createServer(
    { cert: pki.serving.certificate, key: pki.serving.key, ca, requestCert: true },
    (socket) => socket.end(certificateUser(socket.getPeerCertificate().raw)!.name),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { certificate: cert, key } = pki.client('kube-scheduler');
    const socket = connect({ port: (server.address() as AddressInfo).port, host: 'localhost', ca, cert, key });
    const chunks = await socket.toArray();
    assert.equal(Buffer.concat(chunks).toString(), 'system:kube-scheduler');
  } finally {
    server.close();
  }
});

test('kubeconfig holds the admin certificate', () => {
  const pki = createPki({ clock: new FakeClock() });
  const text = kubeconfig({
    server: 'https://127.0.0.1:6443',
    certificateAuthority: pki.clusterCa.certificate,
    user: pki.client('admin'),
  });
  assert.match(text, /^current-context: kubernode$/m);
  assert.ok(text.includes(Buffer.from(pki.client('admin').certificate).toString('base64')));
});
