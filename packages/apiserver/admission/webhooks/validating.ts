import { StatusError } from '@kubernode/api';
import type { AdmissionPlugin, AdmissionRequest } from '../../seams.ts';
import { Views } from '../matching/views.ts';
import type { ReviewedVersion } from '../matching/reviewed-request.ts';
import { callWebhook } from './call.ts';
import type { Webhook } from './configuration.ts';
import { CallingWebhookError, WebhookRejection } from './failures.ts';
import { shouldCall, type WebhookPluginDependencies, type WebhookSource } from './plugin.ts';

const failedOpenPrefix = 'failed-open.validating.webhook.admission.k8s.io/';

/** ValidatingAdmissionWebhook: all webhooks that match are asked at once; the first refusal is told. */
export function validatingWebhooks(source: WebhookSource, dependencies: WebhookPluginDependencies): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    connects: true,
    validate(request) {
      const webhooks = source.webhooksFor(request.attributes);
      if (webhooks.length === 0) return undefined;
      const matching = webhooks.flatMap((webhook) => {
        const version = webhook.matches(request);
        return version ? [{ webhook, version }] : [];
      });
      return matching.length > 0 ? validateAll(request, matching, dependencies) : undefined;
    },
  };
}

interface Invocation {
  readonly webhook: Webhook;
  readonly version: ReviewedVersion;
}

async function validateAll(
  request: AdmissionRequest,
  matching: readonly Invocation[],
  dependencies: WebhookPluginDependencies,
): Promise<void> {
  const views = new Views(request.object, request.oldObject);
  const called: Invocation[] = [];
  for (const invocation of matching) {
    if (await shouldCall(invocation.webhook, 'validating', request, invocation.version, views, dependencies)) {
      await views.prepare(invocation.version);
      called.push(invocation);
    }
  }
  // In the order in which answers came, the first refusal counts.
  let refusal: StatusError | undefined;
  await Promise.all(
    called.map(async ({ webhook, version }, index) => {
      const error = await failureOf(webhook, version, request, views, dependencies);
      if (error instanceof CallingWebhookError && webhook.failsOpen) {
        dependencies.log.warn('a webhook failed, and its failure is ignored', {
          webhook: webhook.name,
          error: error.message,
        });
        request.annotate?.(`${failedOpenPrefix}round_0_index_${index}`, webhook.name);
        return;
      }
      if (error !== undefined) refusal ??= error instanceof WebhookRejection ? error.status : StatusError.from(error);
    }),
  );
  if (refusal) throw refusal;
}

/** What a call threw. */
async function failureOf(
  webhook: Webhook,
  version: ReviewedVersion,
  request: AdmissionRequest,
  views: Views,
  dependencies: WebhookPluginDependencies,
): Promise<unknown> {
  const { clock, metrics } = dependencies;
  const startedMs = clock.now();
  let failure: unknown;
  try {
    await callWebhook(webhook, false, request, version, views, dependencies);
  } catch (error) {
    failure = error;
  }
  metrics.called(webhook, 'validating', request.operation, clock.now() - startedMs, failure);
  return failure;
}
