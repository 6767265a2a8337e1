import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { X509Certificate, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { der, derBits, derInteger, derOctets, derOid, derSequence, derTag, derTime, derTrue, derUtf8 } from './der.ts';
import { readDer, readDerChildren } from './der.ts';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** May sign other certificates. */
  readonly authority?: boolean | undefined;
  readonly usages?: readonly ('server' | 'client')[] | undefined;
  /** Subject alternative names: host names and IP addresses. */
  readonly hosts?: readonly string[] | undefined;
}

const oid = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  rsaWithSha256: '1.2.840.113549.1.1.11',
};

/** A new ECDSA P-256 private key, PKCS #8 in PEM. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** Makes a key and its certificate (RFC 5280), signed by `issuer`, or by itself without one. */
export function newKeyPair(request: CertificateRequest, issuer?: KeyPair): KeyPair {
  const key = newPrivateKey();
  return { key, certificate: signCertificate(request, createPublicKey(key), issuer ?? { key, certificate: '' }) };
}

/** A PEM certificate for `publicKey`. An `issuer` without a certificate signs for itself. */
export function signCertificate(request: CertificateRequest, publicKey: KeyObject, issuer: KeyPair): string {
  const issuerKey = createPrivateKey(issuer.key);
  const algorithm =
    issuerKey.asymmetricKeyType === 'rsa'
      ? derSequence(derOid(oid.rsaWithSha256), der(derTag.null))
      : derSequence(derOid(oid.ecdsaWithSha256));
  const subject = distinguishedName(request);
  const body = derSequence(
    der(0xa0, derInteger(Buffer.from([2]))),
    derInteger(serialNumber()),
    algorithm,
    issuer.certificate ? subjectOf(issuer.certificate) : subject,
    derSequence(derTime(request.notBeforeMs), derTime(request.notAfterMs)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, derSequence(...extensions(request, publicKey, createPublicKey(issuerKey)))),
  );
  return pem('CERTIFICATE', derSequence(body, algorithm, derBits(sign('sha256', body, issuerKey))));
}

function distinguishedName({ commonName, organizations = [] }: CertificateRequest): Buffer {
  const attribute = (name: string, value: string) => der(derTag.set, derSequence(derOid(name), derUtf8(value)));
  return derSequence(
    ...organizations.map((organization) => attribute(oid.organization, organization)),
    attribute(oid.commonName, commonName),
  );
}

function extensions(request: CertificateRequest, publicKey: KeyObject, issuerKey: KeyObject): Buffer[] {
  const extension = (name: string, value: Buffer, critical = false) =>
    derSequence(derOid(name), ...(critical ? [derTrue] : []), derOctets(value));
  const { authority = false, usages = [], hosts = [] } = request;
  const list = [
    // digitalSignature alone, or with keyEncipherment, keyCertSign for an authority.
    extension(oid.keyUsage, authority ? derBits(Buffer.from([0xa4]), 2) : derBits(Buffer.from([0xa0]), 5), true),
    extension(oid.basicConstraints, derSequence(...(authority ? [derTrue] : [])), true),
    extension(oid.authorityKeyIdentifier, derSequence(der(0x80, keyIdentifier(issuerKey)))),
  ];
  if (authority) list.push(extension(oid.subjectKeyIdentifier, derOctets(keyIdentifier(publicKey))));
  if (usages.length > 0)
    list.push(extension(oid.extendedKeyUsage, derSequence(...usages.map((usage) => derOid(oid[usage])))));
  if (hosts.length > 0) list.push(extension(oid.subjectAlternativeName, derSequence(...hosts.map(alternativeName))));
  return list;
}

const alternativeName = (host: string): Buffer =>
  isIP(host) ? der(0x87, addressBytes(host)) : der(0x82, Buffer.from(host));

/** The 4 or 16 bytes of an IP address. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** RFC 5280 4.2.1.2, method 1: SHA-1 of the key's bits. */
function keyIdentifier(key: KeyObject): Buffer {
  const [, bits] = readDerChildren(readDer(key.export({ type: 'spki', format: 'der' })));
  return createHash('sha1').update(bits!.content.subarray(1)).digest();
}

function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

/** The encoded subject of a PEM certificate, to be copied into what it issues. */
function subjectOf(certificate: string): Buffer {
  const [body] = readDerChildren(readDer(new X509Certificate(certificate).raw));
  return readDerChildren(body!)[5]!.bytes;
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
