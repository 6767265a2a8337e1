import { registry } from '../define.ts';
import { certificateSigningRequest } from './certificate-signing-request.ts';
import { clusterTrustBundle } from './cluster-trust-bundle.ts';
import { podCertificateRequest } from './pod-certificate-request.ts';

export const certificatesKinds = registry(certificateSigningRequest, clusterTrustBundle, podCertificateRequest);
