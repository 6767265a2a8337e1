import { StatusError } from '@kubernode/api';
import { uid as newUid, type Clock, type Random } from '@kubernode/machinery';
import { failedAnswer, OutboundError } from '../../outbound/failure.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import type { AdmissionRequest } from '../../seams.ts';
import type { ReviewedVersion } from '../matching/reviewed-request.ts';
import type { Views } from '../matching/views.ts';
import type { Webhook } from './configuration.ts';
import { CallingWebhookError, rejection } from './failures.ts';
import { InvalidReviewError, readReview, reviewText, type ReviewAnswer } from './review-text.ts';

export interface CallDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly outbound: Outbound;
}

const withoutSideEffects: ReadonlySet<string> = new Set(['None', 'NoneOnDryRun']);

/**
 * Asks one webhook; passes its warnings and audit annotations on. Throws WebhookRejection where it said no,
 * CallingWebhookError where it could not be asked, StatusError where it must not be.
 */
export async function callWebhook(
  webhook: Webhook,
  isMutating: boolean,
  request: AdmissionRequest,
  version: ReviewedVersion,
  views: Views,
  { outbound, random }: CallDependencies,
): Promise<ReviewAnswer> {
  const { name, reviewVersion, sideEffects = '' } = webhook;
  if (request.dryRun && !withoutSideEffects.has(sideEffects)) {
    throw StatusError.badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  if (!reviewVersion) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new CallingWebhookError(name, `could not create admission objects: ${why}`, 400);
  }
  // Uids must not be guessed; only a simulation's own randomness repeats them.
  const uid = random === Math.random ? newUid() : newUid(random);
  const body = reviewText(uid, reviewVersion, request, version, views);
  const answer = await post(webhook, body, outbound);
  const review = read(webhook, () => readReview(answer, uid, reviewVersion, isMutating));
  for (const [key, value] of Object.entries(review.auditAnnotations)) request.annotate?.(`${name}/${key}`, value);
  for (const warning of review.warnings) request.warn(warning);
  if (!review.allowed) throw rejection(name, review.status);
  return review;
}

async function post({ name, timeoutMs, destination }: Webhook, body: Buffer, outbound: Outbound): Promise<Uint8Array> {
  let to;
  try {
    to = destination();
  } catch (error) {
    throw new CallingWebhookError(name, `could not get REST client: ${(error as Error).message}`, 500);
  }
  try {
    const query = { timeout: `${Math.ceil(timeoutMs / 1000)}s` };
    const { status, headers, body: answer } = await outbound.post(to, body, { timeoutMs, query });
    if (status < 200 || status > 206) throw failedAnswer(status, headers, Buffer.from(answer).toString('utf8'));
    if (answer.length > 0) return answer;
    const type = String(headers['content-type'] ?? 'application/json');
    throw new OutboundError(`0-length response with status code: ${status} and content type: ${type}`);
  } catch (error) {
    const code = error instanceof StatusError ? error.code : 503;
    throw new CallingWebhookError(name, `failed to call webhook: ${(error as Error).message}`, code);
  }
}

function read({ name }: Webhook, run: () => ReviewAnswer): ReviewAnswer {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof InvalidReviewError)) throw error;
    const stage = error.decoding ? 'failed to call webhook' : 'received invalid webhook response';
    throw new CallingWebhookError(name, `${stage}: ${error.message}`, 503);
  }
}
