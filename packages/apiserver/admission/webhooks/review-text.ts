import { parseJsonExactly } from '@kubernode/machinery';
import { decodeJson, shapeOf } from '@kubernode/api';
import type { AdmissionRequest } from '../../seams.ts';
import { requestFields } from '../matching/request-fields.ts';
import type { ReviewedVersion } from '../matching/reviewed-request.ts';
import type { Views } from '../matching/views.ts';

/** What a webhook answers of a review, whichever version it speaks. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  /** Operations of a JSON patch; undefined where there is none. */
  readonly patch: unknown;
  readonly patchType: string;
  readonly status: Readonly<Record<string, unknown>> | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** The AdmissionReview that is sent, byte for byte as upstream's: the object's JSON is put in as it is. */
export function reviewText(
  uid: string,
  apiVersion: 'v1' | 'v1beta1',
  request: AdmissionRequest,
  version: ReviewedVersion,
  views: Views,
): Buffer {
  const { dryRun, options, ...head } = requestFields(request, version);
  const fields = JSON.stringify({ uid, ...head }).slice(0, -1);
  const object = views.object(version)?.text ?? 'null';
  const oldObject = views.oldObject(version)?.text ?? 'null';
  const objects = `"object":${object},"oldObject":${oldObject},"dryRun":${String(dryRun)},"options":${JSON.stringify(options)}`;
  const kind = `"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${apiVersion}"`;
  return Buffer.from(`{${kind},"request":${fields},${objects}}}\n`.replace(/[<>&\u2028\u2029]/g, escaped));
}

/** Go's JSON can stand in HTML. */
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Why an answer cannot be used; `decoding`: it is no AdmissionReview at all. */
export class InvalidReviewError extends Error {
  readonly decoding: boolean;

  constructor(message: string, decoding = false) {
    super(message);
    this.name = 'InvalidReviewError';
    this.decoding = decoding;
  }
}

interface Response {
  readonly uid?: unknown;
  readonly allowed?: unknown;
  readonly status?: unknown;
  readonly patch?: unknown;
  readonly patchType?: unknown;
  readonly warnings?: unknown;
  readonly auditAnnotations?: unknown;
}

/** Reads and checks an answer (apiserver, VerifyAdmissionResponse). Throws InvalidReviewError. */
export function readReview(
  body: Uint8Array,
  uid: string,
  apiVersion: 'v1' | 'v1beta1',
  isMutating: boolean,
): ReviewAnswer {
  const review = parsed(body);
  checkVersion(review, apiVersion);
  const response = review['response'] as Response | undefined | null;
  if (typeof response !== 'object' || response === null) throw new InvalidReviewError('webhook response was absent');
  const { patchType } = response;
  const patch = decodedPatch(response.patch);
  if (apiVersion === 'v1') {
    if ((response.uid ?? '') !== uid)
      throw new InvalidReviewError(
        `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`,
      );
    checkKind(review);
    checkPatch(patch, patchType, isMutating);
  }
  return {
    allowed: response.allowed === true,
    patch: isMutating ? patch : undefined,
    patchType: apiVersion === 'v1' ? String((patchType as string | undefined) ?? '') : 'JSONPatch',
    status: objectOf(response.status),
    warnings: Array.isArray(response.warnings) ? response.warnings.map(String) : [],
    auditAnnotations: textsOf(response.auditAnnotations),
  };
}

function parsed(body: Uint8Array): Readonly<Record<string, unknown>> {
  const failed = (why: string) => new InvalidReviewError(`couldn't get version/kind; json parse error: ${why}`, true);
  const review = objectOf(parseJson(Buffer.from(body), failed));
  if (review) return review;
  throw failed('json: cannot unmarshal the answer into an object');
}

/** Throws what `failed` makes of what Go's JSON decoder would say. */
export function parseJson(bytes: Uint8Array, failed: (why: string) => Error): unknown {
  try {
    return parseJsonExactly(Buffer.from(bytes).toString('utf8'));
  } catch {
    try {
      return decodeJson(bytes, shapeOf('meta.k8s.io/v1.Status')).object;
    } catch (error) {
      throw failed((error as Error).message);
    }
  }
}

/** A review of another version cannot be read as the one that was sent. */
function checkVersion(review: Readonly<Record<string, unknown>>, apiVersion: string): void {
  const { apiVersion: found, kind } = review as Readonly<Record<string, string | undefined>>;
  if (!found || !kind || found === `admission.k8s.io/${apiVersion}`) return;
  const [group, version] = found.split('/');
  if (group === 'admission.k8s.io' && (version === 'v1' || version === 'v1beta1') && kind === 'AdmissionReview') {
    throw new InvalidReviewError(
      `converting (${version}.AdmissionReview) to (${apiVersion}.AdmissionReview): unknown conversion`,
      true,
    );
  }
  const registered = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(found)} in scheme "pkg/runtime/scheme.go:111"`;
  throw new InvalidReviewError(registered, true);
}

function checkKind({ apiVersion = '', kind = '' }: Readonly<Record<string, unknown>>): void {
  if (apiVersion === 'admission.k8s.io/v1' && kind === 'AdmissionReview') return;
  const [group, version] = String(apiVersion).includes('/') ? String(apiVersion).split('/') : ['', String(apiVersion)];
  throw new InvalidReviewError(
    `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${group}/${version}, Kind=${String(kind)}`,
  );
}

function checkPatch(patch: unknown, patchType: unknown, isMutating: boolean): void {
  const hasPatch = patch !== undefined;
  const hasType = patchType !== undefined && patchType !== null;
  if (!isMutating) {
    if (hasPatch) throw new InvalidReviewError('validating webhook may not return response.patch');
    if (hasType) throw new InvalidReviewError('validating webhook may not return response.patchType');
    return;
  }
  if (hasPatch && !hasType) throw new InvalidReviewError('webhook returned response.patch but not response.patchType');
  if (!hasPatch && hasType) throw new InvalidReviewError('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new InvalidReviewError('webhook returned invalid response.patchType of ""');
}

/** The text of a patch; undefined for none. */
function decodedPatch(patch: unknown): string | undefined {
  if (patch === undefined || patch === null || patch === '') return undefined;
  if (typeof patch !== 'string') throw new InvalidReviewError('response.patch is no base64 text', true);
  const at = /[^A-Za-z0-9+/=\r\n]/.exec(patch)?.index;
  if (at !== undefined) throw new InvalidReviewError(`illegal base64 data at input byte ${at}`, true);
  return Buffer.from(patch, 'base64').toString('utf8') || undefined;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOf(value) ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
