import { isReason } from '@kubernode/api';
import { CertificateSigningRequest } from '@kubernode/api/certificates/v1';
import { controller } from '@kubernode/client';
import { forgottenAtMs } from './state.ts';

/** Forgets requests that were answered an hour ago, and those that nobody answered within a day. */
export const certificateCleaner = controller<CertificateSigningRequest>({
  name: 'certificatesigningrequest-cleaner-controller',
  reconciles: CertificateSigningRequest,
  writes: [CertificateSigningRequest],
  async reconcile(csr, { client, now }) {
    const leftMs = forgottenAtMs(csr) - now();
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    await client.delete(CertificateSigningRequest, { name: csr.metadata.name }).catch((error: unknown) => {
      if (!isReason(error, 'NotFound')) throw error;
    });
  },
});
