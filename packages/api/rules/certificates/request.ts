import { table } from '@kubernode/machinery';
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { readDer, readDerChildren, readDerOid } from '@kubernode/machinery/x509';

/** Signature algorithms (RFC 4055, 5758, 8410) and the hash that each needs; undefined: none of its own. */
const hashes: Readonly<Record<string, string | undefined>> = table({
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': undefined,
});

/** A certification request (RFC 2986) as far as rules look at it. */
export interface SignedRequest {
  readonly publicKey: KeyObject;
  readonly isSignatureValid: boolean;
}

/** Reads one out of DER; throws an Error where it is none. */
export function readSignedRequest(der: Uint8Array): SignedRequest {
  const [info, algorithm, signature] = readDerChildren(readDer(der));
  if (!info || !algorithm || !signature) throw new Error('asn1: structure error');
  const key = readDerChildren(info)[2];
  const identifier = readDerChildren(algorithm)[0];
  if (!key || !identifier) throw new Error('asn1: structure error');
  const publicKey = createPublicKey({ key: key.bytes, format: 'der', type: 'spki' });
  const name = readDerOid(identifier.content);
  // A bit string begins with the number of its unused bits.
  const isSignatureValid = name in hashes && verify(hashes[name], info.bytes, publicKey, signature.content.subarray(1));
  return { publicKey, isSignatureValid };
}

const curves = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
const modulusBits = new Set([3072, 4096]);

/** What is wrong with a key that a pod proves to have. */
export function keyProblem({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string | undefined {
  if (type === 'ed25519') return undefined;
  if (type === 'ec')
    return curves.has(details?.namedCurve ?? '')
      ? undefined
      : 'elliptic public keys must use curve P256, P384, or P521';
  if (type === 'rsa')
    return modulusBits.has(details?.modulusLength ?? 0) ? undefined : 'RSA keys must have modulus size 3072 or 4096';
  return 'unknown public key type; supported types are Ed25519, ECDSA, and RSA';
}
