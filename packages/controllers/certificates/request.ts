import { createPublicKey, type KeyObject } from 'node:crypto';
import { readDer, readDerChildren, readDerOid, type DerNode } from '@kubernode/machinery/x509';
import { ipOf } from '@kubernode/machinery';

/** What a certification request (RFC 2986) asks for. */
export interface CertificationRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  readonly publicKey: KeyObject;
}

const oid = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  extensionRequest: '1.2.840.113549.1.9.14',
  subjectAlternativeName: '2.5.29.17',
};
/** The context-specific tags of GeneralName (RFC 5280 4.2.1.6). */
const nameTag = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 };

/** Reads a PEM request. Throws an Error where it is none. */
export function parseCertificationRequest(pem: string): CertificationRequest {
  const base64 = /-----BEGIN CERTIFICATE REQUEST-----([^-]+)-----END/.exec(pem)?.[1];
  if (!base64) throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const [info] = readDerChildren(readDer(Buffer.from(base64, 'base64')));
  const [, subject, key, attributes] = readDerChildren(info!);
  const names = alternativeNames(attributes);
  const named = (tag: number) => names.filter((name) => name.tag === tag).map(({ content }) => content);
  const texts = (tag: number) => named(tag).map((content) => content.toString('latin1'));
  return {
    commonName: attributesOf(subject!, oid.commonName).at(-1) ?? '',
    organizations: attributesOf(subject!, oid.organization),
    dnsNames: texts(nameTag.dns),
    ipAddresses: named(nameTag.ip).map(addressOf),
    emailAddresses: texts(nameTag.email),
    uris: texts(nameTag.uri),
    publicKey: createPublicKey({ key: key!.bytes, format: 'der', type: 'spki' }),
  };
}

function attributesOf(subject: DerNode, type: string): string[] {
  return readDerChildren(subject)
    .flatMap((set) => readDerChildren(set))
    .map((attribute) => readDerChildren(attribute))
    .filter(([name]) => readDerOid(name!.content) === type)
    .map(([, value]) => value!.content.toString('utf8'));
}

function alternativeNames(attributes: DerNode | undefined): DerNode[] {
  if (!attributes) return [];
  for (const attribute of readDerChildren(attributes)) {
    const [type, values] = readDerChildren(attribute);
    if (readDerOid(type!.content) !== oid.extensionRequest) continue;
    const extensions = readDerChildren(values!).flatMap((list) => readDerChildren(list));
    for (const extension of extensions) {
      const parts = readDerChildren(extension);
      if (readDerOid(parts[0]!.content) === oid.subjectAlternativeName)
        return readDerChildren(readDer(parts.at(-1)!.content));
    }
  }
  return [];
}

function addressOf(bytes: Buffer): string {
  return ipOf(BigInt(`0x${bytes.toString('hex')}`), bytes.length === 4 ? 'IPv4' : 'IPv6');
}
