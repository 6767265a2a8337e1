import { createHash, X509Certificate } from 'node:crypto';
import type { User } from '@kubernode/api';
import type { Clock } from '@kubernode/machinery';
import { madeOf, type Text } from '../component-config/live-text.ts';
import type { Credentials } from '../seams.ts';
import { certificateEndMs, certificateUser } from './certificate.ts';
import { authenticated } from './groups.ts';

/** `authentication.kubernetes.io/credential-id`: which credential it was, for audit (KEP-4193). */
export const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/** A certificate that was looked at; kept as long as its connection. */
interface Known {
  readonly isTrusted: boolean;
  readonly user: User | undefined;
  readonly endMs: number;
}

export interface CertificateOptions {
  readonly clock: Clock;
  /** PEM of the authorities whose certificates name users; undefined: all that TLS trusts. */
  readonly authorities?: Text | undefined;
  /** The gate AllowParsingUserUIDFromCertAuth. */
  readonly readsUid: boolean;
}

/** The user that a client certificate names: CN is the name, each O a group; none without a CN. */
export function certificateAuthenticator(options: CertificateOptions): (credentials: Credentials) => User | undefined {
  const { authorities } = options;
  const all = { roots: undefined, known: new WeakMap<Uint8Array, Known>() };
  const trust =
    authorities === undefined
      ? () => all
      : madeOf(authorities, (pem) => ({ roots: authoritiesOf(pem), known: new WeakMap<Uint8Array, Known>() }));
  return (credentials) => {
    if (credentials.clientCertificateInvalid) throw new Error('x509: certificate signed by unknown authority');
    const { clientCertificate } = credentials;
    if (!clientCertificate) return undefined;
    const { roots, known } = trust();
    let found = known.get(clientCertificate);
    if (!found) known.set(clientCertificate, (found = look(credentials, clientCertificate, roots, options.readsUid)));
    if (!found.isTrusted) throw new Error('x509: certificate signed by unknown authority');
    // TLS checked the time when the connection began; connections live long.
    if (options.clock.now() > found.endMs) throw new Error('x509: certificate has expired or is not yet valid');
    return found.user;
  };
}

function look(
  credentials: Credentials,
  der: Uint8Array,
  roots: readonly X509Certificate[] | undefined,
  readsUid: boolean,
): Known {
  const isTrusted = !roots || isSignedBy(credentials, roots);
  const named = certificateUser(der);
  const { uid, ...rest } = named ?? { name: '', groups: [] };
  const id = `X509SHA256=${createHash('sha256').update(der).digest('hex')}`;
  const user = { ...rest, ...(readsUid && uid ? { uid } : {}), extra: { [credentialIdKey]: [id] } };
  return { isTrusted, user: named ? authenticated(user) : undefined, endMs: certificateEndMs(der) };
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM bundle. Throws where there is none. */
export function authoritiesOf(pem: string): readonly X509Certificate[] {
  const found = pem.match(pemBlock) ?? [];
  if (found.length === 0) throw new Error('data does not contain any valid RSA or ECDSA certificates');
  return found.map((block) => new X509Certificate(block));
}

/** Whether the chain that TLS has verified ends at one of the roots: others may be trusted for other ends. */
export function isSignedBy(credentials: Credentials, roots: readonly X509Certificate[]): boolean {
  const { clientCertificate, clientIntermediates = [] } = credentials;
  if (!clientCertificate) return false;
  const intermediates = clientIntermediates.map((der) => new X509Certificate(der));
  const climb = (certificate: X509Certificate, rest: readonly X509Certificate[]): boolean =>
    roots.some((root) => isIssuedBy(certificate, root)) ||
    rest.some((next) => {
      const others = rest.filter((other) => other !== next);
      return next.ca && isIssuedBy(certificate, next) && climb(next, others);
    });
  return climb(new X509Certificate(clientCertificate), intermediates);
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.raw.equals(issuer.raw) || (certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey));
