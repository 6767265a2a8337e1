import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { test } from 'node:test';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger, systemClock } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { authoritiesOf } from '../authentication/client-certificate.ts';
import { fileText, joinTexts } from '../component-config/live-text.ts';
import { createPki } from '../pki/pki.ts';
import { startApiServer } from '../server.ts';
import { withSecurity } from '../with-security.ts';

interface Seen {
  readonly code: number;
  readonly text: string;
  /** Of the server's certificate. */
  readonly fingerprint: string;
}

function ask(url: string, client?: { certificate: string; key: string }): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const certificate = client && { cert: client.certificate, key: client.key };
    const sent = request(url, { rejectUnauthorized: false, agent: false, ...certificate }, (answer) => {
      const { fingerprint256: fingerprint } = (answer.socket as TLSSocket).getPeerCertificate();
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve({ code: answer.statusCode ?? 0, text, fingerprint }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('startApiServer takes over certificates and authorities whose files change', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'live-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const pathOf = (name: string) => join(folder, name);
  const write = (name: string, content: string) => writeFileSync(pathOf(name), content);
  const [old, renewed] = [createPki({ clock: systemClock }), createPki({ clock: systemClock })];
  const put = ({ serving, clusterCa }: typeof old) => {
    write('ca', clusterCa.certificate);
    write('certificate', serving.certificate);
    write('key', serving.key);
  };
  put(old);
  const clock = new FakeClock(Date.now());
  const common = { clock, log: silentLogger, random: seededRandom(1) };
  const clientCa = fileText(pathOf('ca'), authoritiesOf);
  const [certificate, key] = [fileText(pathOf('certificate')), fileText(pathOf('key'))];
  const server = await startApiServer({
    ...common,
    store: memoryStore(),
    listen: { host: '127.0.0.1', port: 0, tls: { certificate, key, clientCa: joinTexts(['', clientCa]) } },
    ...withSecurity({
      ...common,
      clientCa,
      serviceAccountSigningKey: old.serviceAccountKey,
      serviceRanges: ['10.96.0.0/16'],
      serviceAddress: '10.96.0.1',
      endpoint: () => undefined,
    }),
  });
  const path = `${server.url}/apis/authentication.k8s.io/v1`;
  const [before, after] = [old.client('admin'), renewed.client('admin')];
  const first = await ask(path, before);
  assert.deepEqual([first.code, (await ask(path, after)).code], [200, 401]);
  const settle = async (isDone: () => boolean) => {
    for (let turn = 0; turn < 1000 && !isDone(); turn += 1) {
      await clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  put(renewed);
  const { certificate: newCa } = renewed.clusterCa;
  await settle(() => clientCa.text === newCa && key.text === renewed.serving.key);
  await settle(() => certificate.text === renewed.serving.certificate);
  const then = await ask(path, after);
  assert.deepEqual([then.code, (await ask(path, before)).code], [200, 401]);
  assert.notEqual(then.fingerprint, first.fingerprint);
  const admin = server.transport('system:admin');
  const told = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  const { data } = await admin.request<ConfigMap>({ method: 'GET', path: told });
  assert.equal(data?.['client-ca-file'], newCa);
  await server.stop();
});
