import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { load } from 'js-yaml';
import { urlDestination, type Credentials, type Destination } from './destination.ts';

/** A kubeconfig file that tells how to reach webhooks: of authentication, authorization, audit, image policy, admission. */
export interface OutboundKubeconfig {
  /** The server of the current context, with its user's credentials. Throws where the file has no such context. */
  destination(): Destination;
  /**
   * What a server is shown, by its `host:port`: the user of that name, `*.` for any first part, without `:443`, the user
   * `*`, at last the current context's. Nothing where none fits.
   */
  credentialsFor(hostPort: string): Credentials;
}

interface KubeconfigText {
  readonly 'current-context'?: string;
  readonly contexts?: readonly { name: string; context: { cluster: string; user?: string } }[];
  readonly clusters?: readonly { name: string; cluster: Readonly<Record<string, unknown>> }[];
  readonly users?: readonly { name: string; user: Readonly<Record<string, unknown>> }[];
}

/** Reads the file once, with the certificates that it names. Throws for what is missing, or not supported. */
export function readKubeconfig(path: string): OutboundKubeconfig {
  return parseKubeconfig(readFileSync(path, 'utf8'), dirname(path));
}

/** `directory`: what relative file names count from. */
export function parseKubeconfig(text: string, directory: string): OutboundKubeconfig {
  const file = (load(text) ?? {}) as KubeconfigText;
  const users = new Map((file.users ?? []).map(({ name, user }) => [name, user ?? {}] as const));
  const current = file.contexts?.find(({ name }) => name === file['current-context'])?.context;
  const credentials = (name: string): Credentials => credentialsOf(name, users.get(name) ?? {}, directory);
  return {
    destination() {
      const cluster = file.clusters?.find(({ name }) => name === current?.cluster)?.cluster;
      if (!current || !cluster) {
        throw new Error(`kubeconfig: context ${JSON.stringify(file['current-context'] ?? '')} has no cluster`);
      }
      const trust = {
        ca: content(cluster, 'certificate-authority', directory),
        serverName: string(cluster['tls-server-name']),
        insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'] === true,
      };
      return urlDestination(string(cluster['server']) ?? '', trust, current.user ? credentials(current.user) : {});
    },
    credentialsFor(hostPort) {
      const name = namesFor(hostPort).find((candidate) => users.has(candidate)) ?? current?.user;
      return name && users.has(name) ? credentials(name) : {};
    },
  };
}

function namesFor(hostPort: string): string[] {
  const withStars = (target: string) => {
    const steps = target.split('.');
    return [target, ...steps.slice(1).map((_, index) => `*.${steps.slice(index + 1).join('.')}`)];
  };
  const withoutPort = hostPort.endsWith(':443') ? withStars(hostPort.slice(0, -':443'.length)) : [];
  return [...withStars(hostPort), ...withoutPort, '*'];
}

function credentialsOf(name: string, user: Readonly<Record<string, unknown>>, directory: string): Credentials {
  for (const unsupported of ['exec', 'auth-provider', 'as'] as const) {
    if (user[unsupported] === undefined) continue;
    throw new Error(
      `kubeconfig: user "${name}" has ${unsupported}, expected a token, a password or a client certificate`,
    );
  }
  const tokenFile = string(user['tokenFile']);
  return {
    certificate: content(user, 'client-certificate', directory),
    key: content(user, 'client-key', directory),
    token: string(user['token']),
    tokenFile: tokenFile && resolve(directory, tokenFile),
    username: string(user['username']),
    password: string(user['password']),
  };
}

/** Text that is in the file as `<field>-data`, or in another one that `<field>` names. */
function content(from: Readonly<Record<string, unknown>>, field: string, directory: string): string | undefined {
  const data = string(from[`${field}-data`]);
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  const path = string(from[field]);
  return path && readFileSync(resolve(directory, path), 'utf8');
}

const string = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);
