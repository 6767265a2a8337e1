import type { KeyPair } from '@kubernode/machinery/x509';

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly user: KeyPair | { readonly token: string };
  /** Of the cluster, and so of the context. Default `kubernode`. */
  readonly clusterName?: string | undefined;
  readonly userName?: string | undefined;
}

/** The text of a kubeconfig (v1 Config) with one cluster, one user and one context, all data inside. */
export function kubeconfig(options: KubeconfigOptions): string {
  const { server, certificateAuthority, user, clusterName = 'kubernode', userName = 'kubernode-admin' } = options;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const credentials =
    'token' in user
      ? [`    token: ${JSON.stringify(user.token)}`]
      : [`    client-certificate-data: ${base64(user.certificate)}`, `    client-key-data: ${base64(user.key)}`];
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `- name: ${clusterName}`,
    '  cluster:',
    `    server: ${server}`,
    `    certificate-authority-data: ${base64(certificateAuthority)}`,
    'users:',
    `- name: ${userName}`,
    '  user:',
    ...credentials,
    'contexts:',
    `- name: ${clusterName}`,
    '  context:',
    `    cluster: ${clusterName}`,
    `    user: ${userName}`,
    `current-context: ${clusterName}`,
    '',
  ].join('\n');
}
