import { requestedCommonName } from '@kubernode/api';
import type { CertificateSigningRequest } from '@kubernode/api/certificates/v1';
import type { AdmissionRequest } from '../../seams.ts';

const kubeletSigners = new Set(['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet']);

/** A kubelet asks the kubelets' signers for certificates of its own node only (noderestriction, admitCSR). */
export function signingRequestRule(nodeName: string, { operation, object }: AdmissionRequest): string | undefined {
  if (operation !== 'CREATE') return undefined;
  const spec = (object as CertificateSigningRequest | undefined)?.spec;
  if (!spec || !kubeletSigners.has(spec.signerName)) return undefined;
  try {
    const own = `system:node:${nodeName}`;
    return requestedCommonName(spec.request ?? '') === own ? undefined : `can only create a node CSR with CN=${own}`;
  } catch (error) {
    return `unable to parse csr: ${error instanceof Error ? error.message : String(error)}`;
  }
}
