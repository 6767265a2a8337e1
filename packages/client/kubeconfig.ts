import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Transport } from '@kubernode/api';
import { systemClock, type Clock } from '@kubernode/machinery';
import { execCredentials, type ExecPlugin } from './exec-credentials.ts';
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
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly extensions?: readonly { readonly name: string; readonly extension?: unknown }[];
}

interface KubeconfigUser {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly exec?: ExecPlugin;
  readonly 'auth-provider'?: unknown;
  readonly username?: string;
}

export interface KubeconfigOptions {
  /** Default: the file's `current-context`. */
  readonly context?: string;
  /** What relative file names count from: the kubeconfig's own directory. */
  readonly directory?: string;
  readonly clock?: Clock;
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
  for (const unsupported of ['auth-provider', 'username'] as const) {
    if (user[unsupported] === undefined) continue;
    throw new Error(
      `kubeconfig: user "${context.user}" has ${unsupported}, expected a token, a client certificate or a plugin`,
    );
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
    credentials:
      user.exec &&
      execCredentials(user.exec, {
        userName: context.user ?? '',
        clock: options.clock ?? systemClock,
        cluster: clusterInfo(cluster, content),
        directory: options.directory ?? '.',
      }),
  };
}

/** A cluster as plugins are told of it (client.authentication.k8s.io/v1 Cluster). */
function clusterInfo(
  cluster: KubeconfigCluster,
  content: (data: string | undefined, name: string | undefined) => Buffer | undefined,
): Record<string, unknown> {
  const ca = content(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const config = cluster.extensions?.find(({ name }) => name === execExtension)?.extension;
  return {
    server: cluster.server,
    ...(cluster['tls-server-name'] && { 'tls-server-name': cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] && { 'insecure-skip-tls-verify': true }),
    ...(ca && { 'certificate-authority-data': ca.toString('base64') }),
    ...(cluster['proxy-url'] && { 'proxy-url': cluster['proxy-url'] }),
    ...(cluster['disable-compression'] && { 'disable-compression': true }),
    config: config ?? null,
  };
}

/** What a kubeconfig tells plugins beyond the cluster itself. */
const execExtension = 'client.authentication.k8s.io/exec';

function named<T extends { readonly name: string }>(list: readonly T[] | undefined, what: string, name: string): T {
  const found = list?.find((item) => item.name === name);
  if (found) return found;
  const names = list?.map((item) => item.name).join(', ') ?? '';
  throw new Error(`kubeconfig: no ${what} "${name}", expected one of [${names}]`);
}
