import type { CertificateSigningRequest, ClusterTrustBundle } from '@kubernode/api/certificates/v1';
import { deepEqual } from '@kubernode/machinery';
import { readDer, readDerChildren, readDerOid } from '@kubernode/machinery/x509';
import type { AdmissionPlugin, AdmissionRequest, Authorizer } from '../../seams.ts';
import { created, isAbout, refuse } from '../refuse.ts';

const certificatesGroup = 'certificates.k8s.io';
const clientSigner = 'kubernetes.io/kube-apiserver-client';
const organization = '2.5.4.10';

/** Approving needs the verb `approve` on the signer, not only the right to write the subresource. */
export function certificateApproval(authorize: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    resources: ['certificatesigningrequests'],
    async validate(request) {
      if (request.operation !== 'UPDATE') return;
      if (!isAbout(request, 'certificatesigningrequests', certificatesGroup, 'approval')) return;
      const { signerName } = (request.oldObject as CertificateSigningRequest).spec;
      if (await mayUseSigner(authorize, request, 'approve', signerName)) return;
      throw refuse(request, `user not permitted to approve requests with signerName ${JSON.stringify(signerName)}`);
    },
  };
}

/** Issuing, or failing, needs the verb `sign` on the signer. */
export function certificateSigning(authorize: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    resources: ['certificatesigningrequests'],
    async validate(request) {
      if (request.operation !== 'UPDATE') return;
      if (!isAbout(request, 'certificatesigningrequests', certificatesGroup, 'status')) return;
      const old = request.oldObject as CertificateSigningRequest;
      const { status } = request.object as CertificateSigningRequest;
      const isSame =
        status?.certificate === old.status?.certificate &&
        deepEqual(status?.conditions ?? [], old.status?.conditions ?? []);
      if (isSame || (await mayUseSigner(authorize, request, 'sign', old.spec.signerName))) return;
      const name = JSON.stringify(old.spec.signerName);
      throw refuse(request, `user not permitted to sign requests with signerName ${name}`);
    },
  };
}

/** A trust bundle that speaks for a signer needs the verb `attest` on it (KEP-3257). */
export function clusterTrustBundleAttest(authorize: Authorizer): AdmissionPlugin {
  return {
    name: 'ClusterTrustBundleAttest',
    resources: ['clustertrustbundles'],
    async validate(request) {
      if (!['CREATE', 'UPDATE'].includes(request.operation)) return;
      if (!isAbout(request, 'clustertrustbundles', certificatesGroup)) return;
      const { signerName } = (request.object as ClusterTrustBundle).spec;
      if (!signerName || (await mayUseSigner(authorize, request, 'attest', signerName))) return;
      throw refuse(request, `user not permitted to attest for signerName ${JSON.stringify(signerName)}`);
    },
  };
}

/** Nobody becomes `system:masters` by a client certificate that the cluster signs for API clients. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  resources: ['certificatesigningrequests'],
  validate(request) {
    const csr = created<CertificateSigningRequest>(request, 'certificatesigningrequests', certificatesGroup);
    if (csr?.spec.signerName !== clientSigner) return;
    let organizations: string[];
    try {
      organizations = organizationsOf(Buffer.from(csr.spec.request, 'base64').toString('latin1'));
    } catch (error) {
      throw refuse(request, `failed to parse CSR: ${(error as Error).message}`);
    }
    if (organizations.includes('system:masters'))
      throw refuse(request, `use of ${clientSigner} signer with system:masters group is not allowed`);
  },
};

/** The organizations in the subject of a PEM certification request (RFC 2986). */
function organizationsOf(pem: string): string[] {
  const base64 = /-----BEGIN CERTIFICATE REQUEST-----([^-]+)-----END/.exec(pem)?.[1];
  if (!base64) throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const [info] = readDerChildren(readDer(Buffer.from(base64, 'base64')));
  const subject = readDerChildren(info!)[1]!;
  return readDerChildren(subject)
    .flatMap((set) => readDerChildren(set))
    .map((attribute) => readDerChildren(attribute))
    .filter(([type]) => readDerOid(type!.content) === organization)
    .map(([, value]) => value!.content.toString('utf8'));
}

/** On the signer itself, or on all signers of its domain (`example.com/*`). */
async function mayUseSigner(
  authorize: Authorizer,
  request: AdmissionRequest,
  verb: string,
  signerName: string,
): Promise<boolean> {
  for (const name of [signerName, `${signerName.split('/')[0]}/*`]) {
    const decision = await authorize(request.user, {
      verb,
      group: certificatesGroup,
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
      path: '',
    });
    if (decision.allowed) return true;
  }
  return false;
}
