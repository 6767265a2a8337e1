import { StatusError } from '@kubernode/api';
import { deepClone, deepEqual, jsonPatch, type JsonPatchOperation } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest } from '../../seams.ts';
import type { ReviewedRequest, ReviewedVersion } from '../matching/reviewed-request.ts';
import { Views } from '../matching/views.ts';
import { callWebhook } from './call.ts';
import type { Webhook } from './configuration.ts';
import { CallingWebhookError, WebhookRejection } from './failures.ts';
import { internal, shouldCall, type WebhookPluginDependencies, type WebhookSource } from './plugin.ts';
import { parseJson, type ReviewAnswer } from './review-text.ts';
import { Reinvocations } from './reinvocations.ts';

const mutationPrefix = 'mutation.webhook.admission.k8s.io/';
const patchPrefix = 'patch.webhook.admission.k8s.io/';
const failedOpenPrefix = `failed-open.${mutationPrefix}`;

/** MutatingAdmissionWebhook: one webhook after the other, each seeing what those before it made. */
export function mutatingWebhooks(source: WebhookSource, dependencies: WebhookPluginDependencies): AdmissionPlugin {
  const name = 'MutatingAdmissionWebhook';
  return {
    name,
    connects: true,
    mutate(request) {
      const webhooks = source.webhooksFor(request.attributes);
      const { review } = request;
      if (webhooks.length === 0 || !review) return undefined;
      return new MutatingRound(request, review, Reinvocations.of(review.reinvocation, name), dependencies).run(
        webhooks,
      );
    },
  };
}

/** All webhooks on one request, once. */
class MutatingRound {
  readonly #request: AdmissionRequest;
  readonly #review: ReviewedRequest;
  readonly #reinvocations: Reinvocations;
  readonly #dependencies: WebhookPluginDependencies;
  readonly #views: Views;

  constructor(
    request: AdmissionRequest,
    review: ReviewedRequest,
    reinvocations: Reinvocations,
    dependencies: WebhookPluginDependencies,
  ) {
    this.#request = request;
    this.#review = review;
    this.#reinvocations = reinvocations;
    this.#dependencies = dependencies;
    this.#views = new Views(request.object, request.oldObject);
  }

  async run(webhooks: readonly Webhook[]): Promise<void> {
    const { object } = this.#request;
    this.#reinvocations.begin(object);
    try {
      for (const [index, webhook] of webhooks.entries()) await this.#visit(webhook, index);
    } finally {
      this.#reinvocations.end(object);
    }
  }

  async #visit(webhook: Webhook, index: number): Promise<void> {
    const version = webhook.matches(this.#request);
    if (!version) return;
    const request = this.#request;
    if (!(await shouldCall(webhook, 'admit', request, version, this.#views, this.#dependencies))) return;
    const { isSecondRound } = this.#review.reinvocation;
    if (isSecondRound && !this.#reinvocations.isDue(webhook.id)) return;
    await this.#views.prepare(version);
    const place = `round_${isSecondRound ? 1 : 0}_index_${index}`;
    const { configurationName: configuration, name } = webhook;
    const { changed, failure } = await this.#call(webhook, version, place);
    request.annotate?.(`${mutationPrefix}${place}`, JSON.stringify({ configuration, webhook: name, mutated: changed }));
    if (changed) this.#reinvocations.changed(this.#review.reinvocation);
    if (webhook.isReinvocable) this.#reinvocations.ran(webhook.id);
    if (failure === undefined) return;
    if (!(failure instanceof CallingWebhookError)) {
      throw failure instanceof WebhookRejection ? failure.status : StatusError.from(failure);
    }
    if (!webhook.failsOpen) throw internal(failure.message);
    this.#dependencies.log.warn('a webhook failed, and its failure is ignored', {
      webhook: name,
      error: failure.message,
    });
    request.annotate?.(`${failedOpenPrefix}${place}`, name);
  }

  async #call(
    webhook: Webhook,
    version: ReviewedVersion,
    place: string,
  ): Promise<{ changed: boolean; failure: unknown }> {
    const { clock, metrics } = this.#dependencies;
    const startedMs = clock.now();
    let changed = false;
    let failure: unknown;
    try {
      const answer = await callWebhook(webhook, true, this.#request, version, this.#views, this.#dependencies);
      changed = await this.#patch(webhook, version, answer, place);
    } catch (error) {
      failure = error;
    }
    metrics.called(webhook, 'admit', this.#request.operation, clock.now() - startedMs, failure);
    return { changed, failure };
  }

  /** Whether the patch changed anything. Throws CallingWebhookError for what is no patch, InternalError if it does not fit. */
  async #patch(webhook: Webhook, version: ReviewedVersion, answer: ReviewAnswer, place: string): Promise<boolean> {
    if (answer.patch === undefined) return false;
    const { name, configurationName: configuration } = webhook;
    const patch = operationsOf(webhook, answer.patch as string);
    if (patch.length === 0) return false;
    const view = this.#views.object(version);
    if (!view) {
      const why = 'attempted to modify the object, which is not supported for this operation';
      throw internal(`admission webhook ${JSON.stringify(name)} ${why}`);
    }
    if (answer.patchType !== 'JSONPatch') {
      throw new CallingWebhookError(name, `unsupported patch type ${JSON.stringify(answer.patchType)}`, 400);
    }
    const before = deepClone(this.#request.object);
    try {
      await this.#review.replace(jsonPatch(view.value, patch), version);
    } catch (error) {
      throw error instanceof StatusError ? error : internal((error as Error).message);
    }
    this.#views.forget();
    const value = JSON.stringify({ configuration, webhook: name, patch, patchType: 'JSONPatch' });
    this.#request.annotate?.(`${patchPrefix}${place}`, value, 'Request');
    return !deepEqual(before, this.#request.object);
  }
}

function operationsOf({ name }: Webhook, text: string): readonly JsonPatchOperation[] {
  const undecodable = (why: string) =>
    new CallingWebhookError(name, `received undecodable patch in webhook response: ${why}`, 503);
  const patch = parseJson(Buffer.from(text), undecodable);
  if (!Array.isArray(patch))
    throw undecodable(`json: cannot unmarshal ${kindOf(patch)} into Go value of type jsonpatch.Patch`);
  const wrong = patch.find((operation) => kindOf(operation) !== 'object') as unknown;
  if (wrong === undefined) return patch as readonly JsonPatchOperation[];
  throw undecodable(`json: cannot unmarshal ${kindOf(wrong)} into Go value of type jsonpatch.Operation`);
}

/** As Go's JSON decoder calls it. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
