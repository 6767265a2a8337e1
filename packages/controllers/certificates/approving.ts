import { SubjectAccessReview } from '@kubernode/api/authorization/v1';
import { CertificateSigningRequest } from '@kubernode/api/certificates/v1';
import { controller, subresource, type ReconcileContext } from '@kubernode/client';
import { parseCertificationRequest, type CertificationRequest } from './request.ts';
import { refusal, signer } from './signers.ts';
import { isUndecided, withCondition } from './state.ts';

/** A right may be given later. */
const retryMs = 60_000;

const recognized = [
  {
    subresource: 'selfnodeclient',
    isIt: (request: CertificationRequest, username: string) => request.commonName === username,
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
  },
  {
    subresource: 'nodeclient',
    isIt: () => true,
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
  },
];

/** Approves client certificates of kubelets, where RBAC lets whoever asks have them. */
export const certificateApprovingController = controller<CertificateSigningRequest>({
  name: 'certificatesigningrequest-approving-controller',
  reconciles: CertificateSigningRequest,
  writes: [subresource(CertificateSigningRequest, 'approval'), SubjectAccessReview],
  async reconcile(csr, context) {
    if (csr.spec.signerName !== signer.kubeletClient || !isUndecided(csr)) return;
    const request = parseCertificationRequest(Buffer.from(csr.spec.request, 'base64').toString('latin1'));
    if (refusal(signer.kubeletClient, request, csr.spec.usages)) return;
    for (const kind of recognized) {
      if (!kind.isIt(request, csr.spec.username ?? '') || !(await isAllowed(csr, kind.subresource, context))) continue;
      const approved = withCondition(
        csr,
        { type: 'Approved', reason: 'AutoApproved', message: kind.message },
        context.now(),
      );
      const { apiVersion, kind: kindName } = CertificateSigningRequest;
      const body = { ...approved, apiVersion, kind: kindName };
      const target = { name: csr.metadata.name };
      await context.client.subresource('PUT', CertificateSigningRequest, target, 'approval', body);
      return;
    }
    return { requeueAfterMs: retryMs };
  },
});

async function isAllowed(
  { spec }: CertificateSigningRequest,
  name: string,
  { client }: ReconcileContext,
): Promise<boolean> {
  const { username, uid, groups, extra } = spec;
  const resourceAttributes = {
    verb: 'create',
    group: 'certificates.k8s.io',
    version: '*',
    resource: 'certificatesigningrequests',
    subresource: name,
  };
  const review = { spec: { user: username, uid, groups, extra, resourceAttributes } };
  return (await client.create(SubjectAccessReview, review)).status.allowed;
}
