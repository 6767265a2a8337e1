// Generated from the facts by packages/api/generate; never edited.
import type { Time } from '../../../scalars.ts';
import type { Condition, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface CertificateSigningRequest {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: CertificateSigningRequestSpec;
  status: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestCondition {
  type: string;
  status: string;
  reason?: string | undefined;
  message?: string | undefined;
  lastUpdateTime?: Time | undefined;
  lastTransitionTime?: Time | undefined;
}

export interface CertificateSigningRequestList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: CertificateSigningRequest[];
}

export interface CertificateSigningRequestSpec {
  request: string;
  signerName: string;
  expirationSeconds?: number | undefined;
  usages?: ("any" | "cert sign" | "client auth" | "code signing" | "content commitment" | "crl sign" | "data encipherment" | "decipher only" | "digital signature" | "email protection" | "encipher only" | "ipsec end system" | "ipsec tunnel" | "ipsec user" | "key agreement" | "key encipherment" | "microsoft sgc" | "netscape sgc" | "ocsp signing" | "s/mime" | "server auth" | "signing" | "timestamping")[] | undefined;
  username?: string | undefined;
  uid?: string | undefined;
  groups?: string[] | undefined;
  extra?: { [key: string]: string[] } | undefined;
}

export interface CertificateSigningRequestStatus {
  conditions?: CertificateSigningRequestCondition[] | undefined;
  certificate?: string | undefined;
}

export interface ClusterTrustBundle {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ClusterTrustBundleSpec;
}

export interface ClusterTrustBundleList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ClusterTrustBundle[];
}

export interface ClusterTrustBundleSpec {
  signerName?: string | undefined;
  trustBundle: string;
}

export interface PodCertificateRequest {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: PodCertificateRequestSpec;
  status: PodCertificateRequestStatus;
}

export interface PodCertificateRequestList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: PodCertificateRequest[];
}

export interface PodCertificateRequestSpec {
  signerName: string;
  podName: string;
  podUID: string;
  serviceAccountName: string;
  serviceAccountUID: string;
  nodeName: string;
  nodeUID: string;
  maxExpirationSeconds?: number | undefined;
  stubPKCS10Request: string;
  unverifiedUserAnnotations?: { [key: string]: string } | undefined;
}

export interface PodCertificateRequestStatus {
  conditions?: Condition[] | undefined;
  certificateChain?: string | undefined;
  notBefore?: Time | undefined;
  beginRefreshAt?: Time | undefined;
  notAfter?: Time | undefined;
}
