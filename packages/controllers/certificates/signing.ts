import { X509Certificate } from 'node:crypto';
import { CertificateSigningRequest } from '@kubernode/api/certificates/v1';
import { signCertificate, type KeyPair } from '@kubernode/machinery/x509';
import { controller, runController, status, type ReconcileContext } from '@kubernode/client';
import type { BuiltInController } from '../built-in.ts';
import { parseCertificationRequest, type CertificationRequest } from './request.ts';
import { isKnownSigner, refusal, signer } from './signers.ts';
import { isToBeSigned, withCondition } from './state.ts';

const name = 'certificatesigningrequest-signing-controller';
const minuteMs = 60_000;
/** Upstream's `--cluster-signing-duration`. */
const durationMsMax = 365 * 24 * 60 * minuteMs;
/** Clocks differ: a certificate is good from a little before it was made. */
const backdateMs = 5 * minuteMs;

/** Signs approved requests for the API server's clients and for kubelets, with the cluster's authority. */
export const certificateSigningController: BuiltInController = {
  name,
  serviceAccount: 'certificate-controller',
  start(context) {
    const { clusterCa } = context;
    if (!clusterCa) return { name, stop: async () => {} };
    return runController(declaration(clusterCa), context);
  },
};

function declaration(authority: KeyPair) {
  return controller<CertificateSigningRequest>({
    name,
    reconciles: CertificateSigningRequest,
    writes: [status(CertificateSigningRequest)],
    async reconcile(csr, context) {
      const { signerName, usages } = csr.spec;
      if (!isKnownSigner(signerName) || !isToBeSigned(csr)) return;
      const request = parseCertificationRequest(Buffer.from(csr.spec.request, 'base64').toString('latin1'));
      const why = refusal(signerName, request, usages);
      if (why !== undefined) {
        const failed = { type: 'Failed', reason: 'SignerValidationFailure', message: why };
        await context.client.updateStatus(CertificateSigningRequest, withCondition(csr, failed, context.now()));
        return;
      }
      const certificate = Buffer.from(sign(csr, request, authority, context)).toString('base64');
      await context.client.updateStatus(CertificateSigningRequest, { ...csr, status: { ...csr.status, certificate } });
    },
  });
}

function sign(
  { spec }: CertificateSigningRequest,
  { commonName, organizations, dnsNames, ipAddresses, publicKey }: CertificationRequest,
  authority: KeyPair,
  { now }: ReconcileContext,
): string {
  const durationMs = Math.min(durationMsMax, (spec.expirationSeconds ?? Number.POSITIVE_INFINITY) * 1000);
  const notBeforeMs = now() - backdateMs;
  const authorityEndMs = Date.parse(new X509Certificate(authority.certificate).validTo);
  const notAfterMs = Math.min(notBeforeMs + durationMs, authorityEndMs);
  const usages = [spec.signerName === signer.kubeletServing ? ('server' as const) : ('client' as const)];
  const hosts = [...dnsNames, ...ipAddresses];
  return signCertificate({ commonName, organizations, notBeforeMs, notAfterMs, usages, hosts }, publicKey, authority);
}
