import { X509Certificate } from 'node:crypto';
import type { ClusterTrustBundle } from '../../generated/types/certificates/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, tooLong } from '../cause.ts';
import { subdomainName } from '../names.ts';
import { pemBlocks } from './pem.ts';
import { signerName } from './signer-name.ts';

const bundleBytesMax = 1024 * 1024;

/** The bundle of a signer is named after it: `example.com:signer:name`. */
export function trustBundleName(name: string, isPrefix: boolean, signer: string): readonly string[] {
  if (!signer) {
    if (name.includes(':')) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
    return subdomainName(name, isPrefix);
  }
  const prefix = `${signer.replaceAll('/', ':')}:`;
  if (name.startsWith(prefix)) return subdomainName(name.slice(prefix.length), isPrefix);
  return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
}

/** What certificates are trusted by; a bundle that an update left alone is not parsed again. */
export function trustBundle({ spec }: ClusterTrustBundle, old?: ClusterTrustBundle): readonly FieldCause[] {
  const found: FieldCause[] = [];
  if (spec.signerName) found.push(...signerName(spec.signerName, 'spec.signerName'));
  if (spec.trustBundle !== old?.spec.trustBundle) found.push(...bundleCauses(spec.trustBundle, 'spec.trustBundle'));
  return found;
}

function bundleCauses(text: string, path: string): readonly FieldCause[] {
  if (Buffer.byteLength(text) > bundleBytesMax) return [tooLong(path, bundleBytesMax)];
  const wrong = (detail: string) => invalid(path, '<value omitted>', detail);
  const places = new Map<string, number[]>();
  const found = pemBlocks(text).flatMap(({ type, hasHeaders, bytes }, index) => {
    if (type !== 'CERTIFICATE') return [wrong(`entry ${index} has bad block type: ${type}`)];
    if (hasHeaders) return [wrong(`entry ${index} has PEM block headers`)];
    const problem = anchorProblem(bytes);
    if (problem) return [wrong(`entry ${index} ${problem}`)];
    const key = bytes.toString('base64');
    places.set(key, [...(places.get(key) ?? []), index]);
    return [];
  });
  if (found.length > 0) return found;
  if (places.size === 0) return [wrong('at least one trust anchor must be provided')];
  const repeated = [...places.values()].filter(({ length }) => length > 1);
  return repeated.map((indices) => wrong(`duplicate trust anchor (indices [${indices.join(' ')}])`));
}

function anchorProblem(bytes: Buffer): string | undefined {
  try {
    return new X509Certificate(bytes).ca ? undefined : 'does not have the CA bit set';
  } catch {
    return 'does not parse as X.509';
  }
}
