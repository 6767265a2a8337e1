import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCertificationRequest } from './request.ts';

/** Of a kubelet on the node `sim`. */
const pem = [
  '-----BEGIN CERTIFICATE REQUEST-----',
  'MIHsMIGTAgEAMDExFTATBgNVBAoMDHN5c3RlbTpub2RlczEYMBYGA1UEAwwPc3lz',
  'dGVtOm5vZGU6c2ltMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEQREBVqTk5Zv3',
  '1JtezFkEiWH5w7m/HwB6UU/DlhqcXdoed+G4Q/Ilch8goLy9FZJauUVop6HwfwVE',
  'wmJXXvXfwKAAMAoGCCqGSM49BAMCA0gAMEUCIQCXH/yczM+mhRPzYk9ukucQTKi4',
  'eyXh1hhBkOVrlcCyZAIgeA2pLAur02mYBoCe6zvCBNbrdcJGZKTNuW72l3YcDzw=',
  '-----END CERTIFICATE REQUEST-----',
].join('\n');

test('parseCertificationRequest reads the subject and the key', () => {
  const { publicKey, ...request } = parseCertificationRequest(pem);
  assert.deepEqual(request, {
    commonName: 'system:node:sim',
    organizations: ['system:nodes'],
    dnsNames: [],
    ipAddresses: [],
    emailAddresses: [],
    uris: [],
  });
  assert.equal(publicKey.asymmetricKeyType, 'ec');
});

test('parseCertificationRequest refuses what is no request', () => {
  assert.throws(() => parseCertificationRequest('x'), /PEM block type must be CERTIFICATE REQUEST/);
});
