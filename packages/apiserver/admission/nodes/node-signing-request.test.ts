import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdmissionRequest, ClusterState } from '../../seams.ts';
import { nodeRestriction } from './node-restriction.ts';

/** Asks for O=system:nodes, CN=system:node:one. */
const lines = [
  'MIHrMIGTAgEAMDExFTATBgNVBAoMDHN5c3RlbTpub2RlczEYMBYGA1UEAwwPc3lz',
  'dGVtOm5vZGU6b25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAECTaee6ab6xUn',
  'LGugkCwdUsfJVMvktR1Druv//7RaJXbGqkdeKIRKg4wDjPxNxyhGYpu4uyu/7760',
  'UiJrjytIhaAAMAoGCCqGSM49BAMCA0cAMEQCIFnsw8/3noKzKbrY54Kneln8t16L',
  'VR0W2gqQYrh4k91/AiB8me6sLE8A8XrpplqJT3dnOQSiIcSCZ8AGsLLIfh5Ktw==',
];
const pem = ['-----BEGIN CERTIFICATE REQUEST-----', ...lines, '-----END CERTIFICATE REQUEST-----', ''].join('\n');
const serving = 'kubernetes.io/kubelet-serving';
const client = 'kubernetes.io/kube-apiserver-client-kubelet';

const admit = (node: string, signerName: string, text: string, isInsecure = false, operation = 'CREATE') => {
  const request = {
    operation,
    attributes: { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', subresource: '', name: 'r' },
    user: { name: `system:node:${node}`, groups: ['system:nodes'] },
    object: { metadata: { name: 'r' }, spec: { signerName, request: Buffer.from(text).toString('base64') } },
  } as unknown as AdmissionRequest;
  nodeRestriction({} as ClusterState, () => isInsecure).mutate?.(request);
};

test("nodeRestriction lets a kubelet ask for its own node's certificates only", () => {
  const refused = 'certificatesigningrequests.certificates.k8s.io "r" is forbidden: ';
  for (const signer of [serving, client]) {
    admit('one', signer, pem);
    const message = `${refused}can only create a node CSR with CN=system:node:two`;
    assert.throws(() => admit('two', signer, pem), { message, code: 403 });
    const unreadable = `${refused}unable to parse csr: PEM block type must be CERTIFICATE REQUEST`;
    assert.throws(() => admit('one', signer, 'nonsense'), { message: unreadable, code: 403 });
  }
  admit('two', 'example.com/own', 'nonsense');
  admit('two', serving, pem, true);
  admit('two', serving, pem, false, 'UPDATE');
});
