// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type CertificateSigningRequest = types.CertificateSigningRequest;
export const CertificateSigningRequest = kind<CertificateSigningRequest>({"group":"certificates.k8s.io","version":"v1","kind":"CertificateSigningRequest","plural":"certificatesigningrequests","namespaced":false});
export type ClusterTrustBundle = types.ClusterTrustBundle;
export const ClusterTrustBundle = kind<ClusterTrustBundle>({"group":"certificates.k8s.io","version":"v1","kind":"ClusterTrustBundle","plural":"clustertrustbundles","namespaced":false});
export type PodCertificateRequest = types.PodCertificateRequest;
export const PodCertificateRequest = kind<PodCertificateRequest>({"group":"certificates.k8s.io","version":"v1","kind":"PodCertificateRequest","plural":"podcertificaterequests","namespaced":true});
