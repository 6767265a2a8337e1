import { createPrivateKey, X509Certificate } from 'node:crypto';

const pemTypes = (text: string) => [...text.matchAll(/-----BEGIN ([^-]+)-----/g)].map(([, type = '']) => type);

const isKey = (type: string) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');

/** What is wrong with a certificate and its key, in the words of Go's tls.X509KeyPair; undefined where they are a pair. */
export function keyPairError(certificate: string, key: string): string | undefined {
  const inCertificate = pemTypes(certificate);
  if (!inCertificate.includes('CERTIFICATE')) {
    if (inCertificate.length === 0) return 'tls: failed to find any PEM data in certificate input';
    if (inCertificate.length === 1 && isKey(inCertificate[0] ?? ''))
      return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${inCertificate.join(' ')}]`;
  }
  const inKey = pemTypes(key);
  if (!inKey.some(isKey)) {
    if (inKey.length === 0) return 'tls: failed to find any PEM data in key input';
    if (inKey.length === 1 && inKey[0] === 'CERTIFICATE')
      return 'tls: found a certificate rather than a key in the PEM for the private key';
    return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${inKey.join(' ')}]`;
  }
  return mismatch(certificate, key);
}

function mismatch(certificate: string, key: string): string | undefined {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(certificate);
  } catch {
    return 'x509: malformed certificate';
  }
  try {
    return parsed.checkPrivateKey(createPrivateKey(key)) ? undefined : 'tls: private key does not match public key';
  } catch {
    return 'tls: failed to parse private key';
  }
}
