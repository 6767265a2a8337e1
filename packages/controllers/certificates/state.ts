import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '@kubernode/api/certificates/v1';
import { formatTime, parseTime } from '@kubernode/machinery';

const hourMs = 3_600_000;
/** How long a request is kept in each state (upstream's csrcleaner). */
const keptMs = { Approved: hourMs, Denied: hourMs, Failed: hourMs, Pending: 24 * hourMs };

function has({ status }: CertificateSigningRequest, type: string): boolean {
  return status.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

/** Approved, and neither signed nor refused since. */
export function isToBeSigned(request: CertificateSigningRequest): boolean {
  return has(request, 'Approved') && !has(request, 'Denied') && !has(request, 'Failed') && !request.status.certificate;
}

export function isUndecided(request: CertificateSigningRequest): boolean {
  return !has(request, 'Approved') && !has(request, 'Denied') && !has(request, 'Failed');
}

export function withCondition(
  request: CertificateSigningRequest,
  condition: Pick<CertificateSigningRequestCondition, 'type'> & { readonly reason: string; readonly message: string },
  nowMs: number,
): CertificateSigningRequest {
  const time = formatTime(nowMs);
  const added = { ...condition, status: 'True', lastUpdateTime: time, lastTransitionTime: time };
  return { ...request, status: { ...request.status, conditions: [...(request.status.conditions ?? []), added] } };
}

/** When a request may be forgotten: a moment in the past where it is due. */
export function forgottenAtMs(request: CertificateSigningRequest): number {
  const createdMs = parseTime(request.metadata.creationTimestamp) ?? 0;
  const decided = request.status.conditions?.find(({ type }) => type in keptMs);
  if (!decided) return createdMs + keptMs.Pending;
  const endMs = certificateEndMs(request.status.certificate);
  const decidedMs = parseTime(decided.lastUpdateTime) ?? createdMs;
  return Math.min(endMs, decidedMs + keptMs[decided.type as keyof typeof keptMs]);
}

function certificateEndMs(base64: string | undefined): number {
  if (!base64) return Number.POSITIVE_INFINITY;
  try {
    return Date.parse(new X509Certificate(Buffer.from(base64, 'base64')).validTo);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
