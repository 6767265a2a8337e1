import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Transport } from '@kubernode/api';
import { httpsTransport, type HttpsTransportOptions } from './https-transport.ts';

/** A kubeconfig file as its YAML says it (client-go: clientcmd/api/v1 Config). */
export interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly Named<'context', { cluster: string; user?: string; namespace?: string }>[];
  readonly clusters?: readonly Named<'cluster', KubeconfigCluster>[];
  readonly users?: readonly Named<'user', KubeconfigUser>[];
}

type Named<Field extends string, Value> = { readonly name: string } & { readonly [field in Field]: Value };

interface KubeconfigCluster {
  readonly server: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
}

interface KubeconfigUser {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly exec?: unknown;
  readonly 'auth-provider'?: unknown;
  readonly username?: string;
}

export interface KubeconfigOptions {
  /** Default: the file's `current-context`. */
  readonly context?: string;
  /** What relative file names count from: the kubeconfig's own directory. */
  readonly directory?: string;
}

/** The transport that a kubeconfig describes. Throws for missing names and files, and what is not supported. */
export function kubeconfigTransport(kubeconfig: Kubeconfig, options: KubeconfigOptions = {}): Transport {
  return httpsTransport(transportOptions(kubeconfig, options));
}

export function transportOptions(kubeconfig: Kubeconfig, options: KubeconfigOptions): HttpsTransportOptions {
  const contextName = options.context ?? kubeconfig['current-context'] ?? '';
  const { context } = named(kubeconfig.contexts, 'context', contextName);
  const { cluster } = named(kubeconfig.clusters, 'cluster', context.cluster);
  const user: KubeconfigUser = context.user ? named(kubeconfig.users, 'user', context.user).user : {};
  for (const unsupported of ['exec', 'auth-provider', 'username'] as const) {
    if (user[unsupported] === undefined) continue;
    throw new Error(`kubeconfig: user "${context.user}" has ${unsupported}, expected a token or a client certificate`);
  }
  const file = (name: string | undefined) => name && resolve(options.directory ?? '.', name);
  const content = (data: string | undefined, name: string | undefined) =>
    data ? Buffer.from(data, 'base64') : name ? readFileSync(file(name)!) : undefined;
  return {
    server: cluster.server,
    ca: content(cluster['certificate-authority-data'], cluster['certificate-authority']),
    serverName: cluster['tls-server-name'],
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'],
    certificate: content(user['client-certificate-data'], user['client-certificate']),
    key: content(user['client-key-data'], user['client-key']),
    token: user.token,
    tokenFile: file(user.tokenFile),
  };
}

function named<T extends { readonly name: string }>(list: readonly T[] | undefined, what: string, name: string): T {
  const found = list?.find((item) => item.name === name);
  if (found) return found;
  const names = list?.map((item) => item.name).join(', ') ?? '';
  throw new Error(`kubeconfig: no ${what} "${name}", expected one of [${names}]`);
}
