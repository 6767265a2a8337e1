import { createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { deepEqual, parseTime } from '@kubernode/machinery';
import type { PodCertificateRequest } from '../../generated/types/certificates/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, notSupported, required, tooLong } from '../cause.ts';
import { conditions } from '../conditions.ts';
import { pemBlocks } from './pem.ts';
import { readSignedRequest } from './request.ts';

type Status = PodCertificateRequest['status'];

const ends = ['Denied', 'Failed', 'Issued'];
const chainBytesMax = 100 * 1024;
const marginMs = 600_000;
const hourMs = 3_600_000;
const omitted = '<value omitted>';
const chainPath = 'status.certificateChain';

const has = (status: Status, type: string) =>
  status.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

/** A request ends once: issued, denied or failed, with what belongs to that end. */
export function podCertificateStatus(
  request: PodCertificateRequest,
  old: PodCertificateRequest,
): readonly FieldCause[] {
  const { status } = request;
  const found = conditionCauses(status);
  if (found.length > 0) return found;
  const wrong = (detail: string) => [invalid('status', omitted, detail)];
  if (ends.some((type) => has(old.status, type))) {
    const detail = 'immutable after PodCertificateRequest is issued, denied, or failed';
    return deepEqual(status, old.status) ? [] : wrong(detail);
  }
  if (has(status, 'Denied') || has(status, 'Failed')) {
    const { conditions: _, ...others } = status;
    const detail = 'non-condition status fields must be empty when denying or failing the PodCertificateRequest';
    return Object.values(others).some((value) => value !== undefined && value !== '') ? wrong(detail) : [];
  }
  if (has(status, 'Issued')) return issued(request);
  const detail = 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"';
  return deepEqual(status, old.status) ? [] : wrong(detail);
}

/** Upstream writes the index as a field's name, with a dot before it. */
function conditionCauses({ conditions: list = [] }: Status): readonly FieldCause[] {
  let known = 0;
  const found = list.flatMap(({ type, status }, index): FieldCause[] => {
    const at = `status.conditions.[${index}]`;
    if (!ends.includes(type)) return [notSupported(`${at}.type`, type, ends)];
    known += 1;
    const twice = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
    return [
      ...(known > 1 ? [invalid(`${at}.type`, type, twice)] : []),
      ...(status === 'True' ? [] : [notSupported(`${at}.status`, status, ['True'])]),
    ];
  });
  return [...found, ...conditions(list, 'status.conditions')];
}

function issued({ spec, status }: PodCertificateRequest): readonly FieldCause[] {
  const { certificateChain: chain = '' } = status;
  const wrong = (detail: string) => [invalid(chainPath, chain, detail)];
  if (Buffer.byteLength(chain) > chainBytesMax) return [tooLong(chainPath, chainBytesMax)];
  const [leaf, ...others] = pemBlocks(chain);
  if (!leaf) return wrong('issued certificate chain must contain at least one certificate');
  if (leaf.type !== 'CERTIFICATE')
    return wrong('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  const certificate = parsed(leaf.bytes);
  if (!certificate) return wrong('leaf certificate does not parse as valid X.509');
  if (!wantedKey(spec)?.equals(certificate.publicKey))
    return wrong('leaf certificate was not issued to the requested public key');
  const times = timeCauses(status, certificate, spec.maxExpirationSeconds ?? 0);
  if (times.length > 0) return times;
  if (others.some(({ type }) => type !== 'CERTIFICATE'))
    return wrong('issued certificate chain must consist entirely of CERTFICATE PEM blocks');
  if (others.some(({ bytes }) => !parsed(bytes)))
    return wrong('intermediate certificate does not parse as valid X.509');
  return [];
}

function parsed(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

function wantedKey(spec: {
  stubPKCS10Request?: string | undefined;
  pkixPublicKey?: string | undefined;
}): KeyObject | undefined {
  const { stubPKCS10Request: stub, pkixPublicKey: key = '' } = spec;
  try {
    if (stub) return readSignedRequest(Buffer.from(stub, 'base64')).publicKey;
    return createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** The status says what the certificate says, and when to ask again: ten minutes from either end. */
function timeCauses(status: Status, certificate: X509Certificate, maxSeconds: number): readonly FieldCause[] {
  const missing = (['notBefore', 'notAfter', 'beginRefreshAt'] as const).filter((name) => status[name] === undefined);
  if (missing.length > 0)
    return missing.map((name) =>
      required(`status.${name}`, 'must be present and consistent with the issued certificate'),
    );
  const [start = 0, end = 0, refresh = 0] = [status.notBefore, status.notAfter, status.beginRefreshAt].map(parseTime);
  const wrong = (path: string, value: unknown, detail: string) => [invalid(path, value, detail)];
  const lifetimeMs = certificate.validToDate.getTime() - certificate.validFromDate.getTime();
  if (start !== certificate.validFromDate.getTime())
    return wrong(
      'status.notBefore',
      status.notBefore,
      'must be set to the NotBefore time encoded in the leaf certificate',
    );
  if (end !== certificate.validToDate.getTime())
    return wrong(
      'status.notAfter',
      status.notAfter,
      'must be set to the NotAfter time encoded in the leaf certificate',
    );
  if (lifetimeMs < hourMs) return wrong(chainPath, lifetimeMs, 'leaf certificate lifetime must be >= 1 hour');
  if (lifetimeMs > maxSeconds * 1000) {
    const detail = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxSeconds})`;
    return wrong(chainPath, lifetimeMs, detail);
  }
  const at = 'status.beginRefreshAt';
  if (refresh < start + marginMs)
    return wrong(at, status.beginRefreshAt, 'must be at least 10 minutes after status.notBefore');
  if (refresh > end - marginMs)
    return wrong(at, status.beginRefreshAt, 'must be at least 10 minutes before status.notAfter');
  return [];
}
