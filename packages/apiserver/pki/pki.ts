import { X509Certificate } from 'node:crypto';
import type { Clock } from '@kubernode/machinery';
import { newKeyPair, newPrivateKey, type CertificateRequest, type KeyPair } from '@kubernode/machinery/x509';
import { folderFiles, memoryFiles, type PkiFiles } from './files.ts';

export interface PkiOptions {
  /** Where keys and certificates are kept (files of mode 0600, named as kubeadm does); without it, in memory. */
  readonly folder?: string | undefined;
  readonly clock: Clock;
  /** Names and addresses under which the API server is reached, beyond those of the `kubernetes` Service and loopback. */
  readonly hosts?: readonly string[] | undefined;
  /** The first address of each service range. */
  readonly serviceAddresses?: readonly string[] | undefined;
  readonly clusterDomain?: string | undefined;
}

/** The users that have a client certificate of their own. */
export type ClientName =
  | 'admin'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kube-apiserver-kubelet-client'
  | 'front-proxy-client';

/** All keys and certificates of a cluster; each is made when first asked for, kept, and renewed 30 days before its end. */
export interface Pki {
  readonly clusterCa: KeyPair;
  readonly frontProxyCa: KeyPair;
  /** ECDSA P-256 private key, PEM, that signs service account tokens (ES256). */
  readonly serviceAccountKey: string;
  /** The API server's. */
  readonly serving: KeyPair;
  client(name: ClientName): KeyPair;
  /** A client certificate of `system:node:NAME` and a serving certificate for the node's names and addresses. */
  kubelet(nodeName: string, hosts: readonly string[]): { readonly client: KeyPair; readonly serving: KeyPair };
}

const dayMs = 24 * 3600 * 1000;
const authorityDays = 3650;
const certificateDays = 365;
const renewalDays = 30;
/** Clocks of machines differ: certificates are good a little before they are made. */
const backdateMs = 5 * 60 * 1000;

const clientOrganizations: Readonly<Record<ClientName, readonly string[]>> = {
  admin: ['system:masters'],
  'kube-controller-manager': [],
  'kube-scheduler': [],
  'kube-apiserver-kubelet-client': ['system:masters'],
  'front-proxy-client': [],
};

/** Files are named as kubeadm names them where it has a name. */
const clientFiles: Readonly<Record<ClientName, string>> = {
  admin: 'admin',
  'kube-controller-manager': 'controller-manager',
  'kube-scheduler': 'scheduler',
  'kube-apiserver-kubelet-client': 'apiserver-kubelet-client',
  'front-proxy-client': 'front-proxy-client',
};

const clientCommonNames: Readonly<Partial<Record<ClientName, string>>> = {
  admin: 'kubernetes-admin',
  'kube-controller-manager': 'system:kube-controller-manager',
  'kube-scheduler': 'system:kube-scheduler',
};

/** Throws where the folder cannot be written, or holds something that is not a certificate. */
export function createPki(options: PkiOptions): Pki {
  const keeper = new Keeper(options.folder ? folderFiles(options.folder) : memoryFiles(), options.clock);
  const authority = (file: string, commonName: string) =>
    keeper.pair(file, { commonName, authority: true, days: authorityDays });
  return {
    get clusterCa() {
      return authority('ca', 'kubernetes');
    },
    get frontProxyCa() {
      return authority('front-proxy-ca', 'front-proxy-ca');
    },
    get serviceAccountKey() {
      return keeper.key('sa.key');
    },
    get serving() {
      const hosts = servingHosts(options);
      return keeper.pair('apiserver', { commonName: 'kube-apiserver', hosts, usages: ['server'] }, this.clusterCa);
    },
    client(name) {
      const issuer = name === 'front-proxy-client' ? this.frontProxyCa : this.clusterCa;
      const commonName = clientCommonNames[name] ?? name;
      const request = { commonName, organizations: clientOrganizations[name], usages: ['client'] as const };
      return keeper.pair(clientFiles[name], request, issuer);
    },
    kubelet(nodeName, hosts) {
      const commonName = `system:node:${nodeName}`;
      const organizations = ['system:nodes'];
      const client = { commonName, organizations, usages: ['client'] as const };
      const serving = { commonName, organizations, usages: ['server'] as const, hosts: unique([nodeName, ...hosts]) };
      return {
        client: keeper.pair(`kubelet-${nodeName}-client`, client, this.clusterCa),
        serving: keeper.pair(`kubelet-${nodeName}-serving`, serving, this.clusterCa),
      };
    },
  };
}

function servingHosts({ hosts = [], serviceAddresses = [], clusterDomain = 'cluster.local' }: PkiOptions): string[] {
  const service = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    `kubernetes.default.svc.${clusterDomain}`,
  ];
  return unique([...service, 'localhost', '127.0.0.1', '::1', ...serviceAddresses, ...hosts]);
}

const unique = (values: readonly string[]): string[] => [...new Set(values.filter((value) => value !== ''))];

type Wanted = Omit<CertificateRequest, 'notBeforeMs' | 'notAfterMs'> & { readonly days?: number };

/** Reads what is kept, and makes anew what misses, is near its end, or is no longer what is wanted. */
class Keeper {
  readonly #files: PkiFiles;
  readonly #clock: Clock;
  readonly #known = new Map<string, KeyPair>();

  constructor(files: PkiFiles, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  key(name: string): string {
    const kept = this.#files.read(name);
    if (kept) return kept;
    const key = newPrivateKey();
    this.#files.write(name, key);
    return key;
  }

  pair(file: string, wanted: Wanted, issuer?: KeyPair): KeyPair {
    const known = this.#known.get(file) ?? this.#read(file);
    const pair = known && this.#isGood(known, wanted, issuer) ? known : this.#make(file, wanted, issuer);
    this.#known.set(file, pair);
    return pair;
  }

  #read(file: string): KeyPair | undefined {
    const certificate = this.#files.read(`${file}.crt`);
    const key = this.#files.read(`${file}.key`);
    return certificate && key ? { certificate, key } : undefined;
  }

  #make(file: string, { days = certificateDays, ...request }: Wanted, issuer?: KeyPair): KeyPair {
    const nowMs = this.#clock.now();
    const pair = newKeyPair({ ...request, notBeforeMs: nowMs - backdateMs, notAfterMs: nowMs + days * dayMs }, issuer);
    this.#files.write(`${file}.key`, pair.key);
    this.#files.write(`${file}.crt`, pair.certificate);
    return pair;
  }

  #isGood(pair: KeyPair, wanted: Wanted, issuer?: KeyPair): boolean {
    const certificate = new X509Certificate(pair.certificate);
    const endsMs = Date.parse(certificate.validTo);
    // An authority is never renewed silently: all that trust it would have to learn of the new one.
    if (wanted.authority) return true;
    if (endsMs - this.#clock.now() < renewalDays * dayMs) return false;
    if (issuer && !certificate.checkIssued(new X509Certificate(issuer.certificate))) return false;
    const names = new Set((certificate.subjectAltName ?? '').split(', ').map((name) => normalName(name)));
    return (wanted.hosts ?? []).every((host) => names.has(normalName(host)));
  }
}

/** `DNS:localhost` and `localhost`, `IP Address:0:0:0:0:0:0:0:1` and `::1` become the same. */
function normalName(name: string): string {
  const bare = name.replace(/^(DNS|IP Address):/, '');
  return bare.includes(':') ? new URL(`http://[${bare}]`).hostname : bare;
}
