// Generated from the facts by packages/api/generate; never edited.
import type { Time } from '../../../scalars.ts';

export interface Cluster {
  server: string;
  "tls-server-name"?: string | undefined;
  "insecure-skip-tls-verify"?: boolean | undefined;
  "certificate-authority-data"?: string | undefined;
  "proxy-url"?: string | undefined;
  "disable-compression"?: boolean | undefined;
  config?: unknown | undefined;
}

export interface ExecCredential {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  spec: ExecCredentialSpec;
  status?: ExecCredentialStatus | undefined;
}

export interface ExecCredentialSpec {
  cluster?: Cluster | undefined;
  interactive: boolean;
}

export interface ExecCredentialStatus {
  expirationTimestamp?: Time | undefined;
  token?: string | undefined;
  clientCertificateData?: string | undefined;
  clientKeyData?: string | undefined;
}
