import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { dns1123Subdomain } from '@kubernode/machinery';
import type { PodCertificateRequest } from '../../generated/types/certificates/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, required, tooLong } from '../cause.ts';
import { userAnnotations } from '../metadata.ts';
import { keyProblem, readSignedRequest } from './request.ts';
import { isKubernetesSigner, signerName } from './signer-name.ts';

type Spec = PodCertificateRequest['spec'] & {
  readonly stubPKCS10Request?: string | undefined;
  readonly pkixPublicKey?: string | undefined;
  readonly proofOfPossession?: string | undefined;
};

const uidBytesMax = 128;
const bytesMax = 10 * 1024;
const expirationSecondsMin = 3600;
const dayMs = 86_400;
const omitted = '<value omitted>';

/** What a node asks for a pod's certificate (ValidatePodCertificateRequestCreate). */
export function podCertificate({ spec }: PodCertificateRequest): readonly FieldCause[] {
  const found = [...signerName(spec.signerName, 'spec.signerName')];
  if (spec.unverifiedUserAnnotations)
    found.push(...userAnnotations(spec.unverifiedUserAnnotations, 'spec.unverifiedUserAnnotations'));
  for (const name of ['podName', 'podUID', 'serviceAccountName', 'serviceAccountUID', 'nodeName', 'nodeUID'] as const) {
    const [value, at] = [spec[name], `spec.${name}`];
    if (name.endsWith('Name')) found.push(...dns1123Subdomain(value).map((detail) => invalid(at, value, detail)));
    else if (!value) found.push(invalid(at, value, 'must not be empty'));
    else if (Buffer.byteLength(value) > uidBytesMax) found.push(tooLong(at, uidBytesMax));
  }
  const seconds = spec.maxExpirationSeconds;
  if (seconds === undefined) return [...found, required('spec.maxExpirationSeconds', 'must be set')];
  const max = (isKubernetesSigner(spec.signerName) ? 1 : 91) * dayMs;
  if (seconds < expirationSecondsMin || seconds > max) {
    const detail = `must be in the range [${expirationSecondsMin}, ${max}]`;
    found.push(invalid('spec.maxExpirationSeconds', seconds, detail));
  }
  return [...found, ...proofCauses(spec)];
}

function proofCauses(spec: Spec): readonly FieldCause[] {
  const { stubPKCS10Request: stub, pkixPublicKey: key, proofOfPossession: proof } = spec;
  if (stub && !key && !proof) return stubCauses(Buffer.from(stub, 'base64'));
  if (!stub && key && proof) return keyCauses(Buffer.from(key, 'base64'), Buffer.from(proof, 'base64'), spec.podUID);
  const detail = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
  return [invalid('spec', omitted, detail)];
}

function stubCauses(der: Buffer): readonly FieldCause[] {
  const path = 'spec.stubPKCS10Request';
  if (der.length > bytesMax) return [tooLong(path, bytesMax)];
  try {
    const { publicKey, isSignatureValid } = readSignedRequest(der);
    const problem = keyProblem(publicKey);
    if (problem) return [invalid(path, omitted, problem)];
    return isSignatureValid ? [] : [invalid(path, omitted, 'invalid signature')];
  } catch {
    return [invalid(path, omitted, 'must be a valid PKCS#10 CSR')];
  }
}

function keyCauses(der: Buffer, proof: Buffer, podUid: string): readonly FieldCause[] {
  const path = 'spec.pkixPublicKey';
  if (der.length > bytesMax) return [tooLong(path, bytesMax)];
  if (proof.length > bytesMax) return [tooLong('spec.proofOfPossession', bytesMax)];
  let key: KeyObject;
  try {
    key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return [invalid(path, der.toString('base64'), 'must be a valid PKIX-serialized public key')];
  }
  const problem = keyProblem(key);
  if (problem) return [invalid(path, omitted, problem)];
  if (provesPossession(key, proof, podUid)) return [];
  return [invalid('spec.proofOfPossession', omitted, 'could not verify proof-of-possession signature')];
}

/** The signature is one of the pod's uid: of its hash, but for Ed25519. */
function provesPossession(key: KeyObject, proof: Buffer, podUid: string): boolean {
  const text = Buffer.from(podUid);
  if (key.asymmetricKeyType === 'ed25519') return verify(undefined, text, key, proof);
  if (key.asymmetricKeyType === 'ec') return verify('sha256', text, key, proof);
  // RSA-PSS, whatever the salt's length.
  return verify('sha256', text, { key, padding: 6, saltLength: -2 }, proof);
}
