import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CertificateSigningRequest } from '@kubernode/api/certificates/v1';
import { testObject } from '../shared/testing.ts';
import type { CertificationRequest } from './request.ts';
import { refusal, signer, type SignerName } from './signers.ts';
import { forgottenAtMs, isToBeSigned, isUndecided, withCondition } from './state.ts';

const kubelet = {
  commonName: 'system:node:n',
  organizations: ['system:nodes'],
  dnsNames: [],
  ipAddresses: [],
  emailAddresses: [],
  uris: [],
} as unknown as CertificationRequest;
const client = ['digital signature', 'client auth'];
const serving = ['digital signature', 'key encipherment', 'server auth'];

const cases: [SignerName, Partial<CertificationRequest>, readonly string[], string | undefined][] = [
  [signer.kubeletClient, {}, client, undefined],
  [signer.kubeletClient, {}, [...client, 'server auth'], 'usages did not match the expected set: '],
  [signer.kubeletClient, { organizations: ['team'] }, client, 'subject organization is not system:nodes'],
  [signer.kubeletClient, { commonName: 'dev' }, client, 'subject common name does not begin with system:node:'],
  [signer.kubeletClient, { dnsNames: ['n'] }, client, 'DNS subjectAltNames are not allowed'],
  [signer.kubeletServing, { ipAddresses: ['192.0.2.1'] }, serving, undefined],
  [signer.kubeletServing, {}, serving, 'DNS or IP subjectAltName is required'],
  [signer.kubeletServing, { dnsNames: ['n'], uris: ['x:y'] }, serving, 'URI subjectAltNames are not allowed'],
  [signer.client, { commonName: 'dev', organizations: ['team'] }, ['client auth'], undefined],
  [signer.client, {}, ['server auth'], 'invalid usages for client certificate: '],
];
for (const [name, request, usages, expected] of cases) {
  test(`refusal of ${name} with ${JSON.stringify(request)} for ${usages.join(', ')}`, () => {
    const why = refusal(name, { ...kubelet, ...request }, usages);
    assert.equal(expected === undefined ? why : why?.slice(0, expected.length), expected);
  });
}

const createdMs = Date.parse('2026-01-01T00:00:00Z');
const csr = testObject<CertificateSigningRequest>({
  metadata: { name: 'r', creationTimestamp: '2026-01-01T00:00:00Z' },
  status: {},
});

test('withCondition decides a request', () => {
  assert.equal(isUndecided(csr), true);
  const approved = withCondition(csr, { type: 'Approved', reason: 'Test', message: '' }, createdMs);
  assert.deepEqual([isUndecided(approved), isToBeSigned(approved)], [false, true]);
  const failed = withCondition(approved, { type: 'Failed', reason: 'Test', message: '' }, createdMs);
  assert.equal(isToBeSigned(failed), false);
});

test('forgottenAtMs keeps answered requests for an hour, others for a day', () => {
  assert.equal(forgottenAtMs(csr), createdMs + 24 * 3_600_000);
  const denied = withCondition(csr, { type: 'Denied', reason: 'Test', message: '' }, createdMs + 1_000);
  assert.equal(forgottenAtMs(denied), createdMs + 1_000 + 3_600_000);
});
