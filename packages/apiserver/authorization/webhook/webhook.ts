import type { SubjectAccessReview, SubjectAccessReviewStatus } from '@kubernode/api/authorization/v1';
import { ExpiringMap, type Clock } from '@kubernode/machinery';
import type { Program } from '@kubernode/machinery/cel';
import type { Destination } from '../../outbound/destination.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import { postReview } from '../../outbound/review.ts';
import type { Attributes, Decision } from '../../seams.ts';
import { allMatch } from './match-conditions.ts';
import type { AuthorizationMetrics } from '../metrics.ts';
import { noRules, type AuthorizerPart } from '../part.ts';
import { reviewSpec } from './review-spec.ts';

export interface WebhookOptions {
  readonly name: string;
  readonly destination: Destination;
  /** Of the SubjectAccessReview that is sent. */
  readonly version: 'v1' | 'v1beta1';
  readonly timeoutMs: number;
  /** How long what it allowed is remembered; 0: not at all. */
  readonly authorizedMs: number;
  readonly unauthorizedMs: number;
  /** When it cannot be asked: nothing, or nobody may. */
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  /** It is asked only when all hold. */
  readonly matchConditions: readonly Program[];
}

export interface WebhookSurroundings {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly metrics?: AuthorizationMetrics | undefined;
}

/** Questions that are longer are not remembered: they are the client's to make up. */
const rememberedCharactersMax = 10_000;
const rememberedMax = 8192;

/** Asks a webhook by SubjectAccessReview. What it said is remembered and answered at once. */
export function webhookPart(
  options: WebhookOptions,
  { outbound, clock, metrics }: WebhookSurroundings,
): AuthorizerPart {
  const remembered = new ExpiringMap<string, Decision>(clock, rememberedMax);
  const { name, version, timeoutMs } = options;
  const onError = (error: unknown): Decision => ({
    allowed: false,
    denied: options.failurePolicy === 'Deny',
    reason: '',
    error: (error as Error).message,
  });
  const ask = async (key: string, spec: object, attributes: Attributes): Promise<Decision> => {
    const review = { kind: 'SubjectAccessReview', apiVersion: `authorization.k8s.io/${version}`, metadata: {} };
    const startedMs = clock.now();
    try {
      const sent = { ...review, spec: version === 'v1beta1' ? asBeta(spec) : spec, status: { allowed: false } };
      const answer = await postReview<Partial<SubjectAccessReview>>(options.destination, sent, {
        outbound,
        clock,
        timeoutMs,
      });
      metrics?.webhookAsked(name, 'success', clock.now() - startedMs);
      const status: Partial<SubjectAccessReviewStatus> = answer.status ?? {};
      const decision = decisionOf(status);
      const forMs = status.allowed ? options.authorizedMs : options.unauthorizedMs;
      if (lengthOf(attributes) < rememberedCharactersMax) remembered.set(key, decision, forMs);
      return decision;
    } catch (error) {
      const result = (error as { isTimeout?: boolean }).isTimeout ? 'timeout' : 'error';
      metrics?.webhookAsked(name, result, clock.now() - startedMs);
      if (options.failurePolicy === 'NoOpinion') metrics?.webhookFailedOpen(name, result);
      return onError(error);
    }
  };
  return {
    type: 'Webhook',
    name,
    authorize(user, attributes) {
      const spec = reviewSpec(user, attributes);
      try {
        const isAsked =
          options.matchConditions.length === 0 ||
          (metrics?.matched(name, () => allMatch(options.matchConditions, spec)) ??
            allMatch(options.matchConditions, spec));
        if (!isAsked) return noOpinion;
      } catch (error) {
        return onError(error);
      }
      const key = JSON.stringify(spec);
      return remembered.get(key) ?? ask(key, spec, attributes);
    },
    rulesFor: () => ({
      ...noRules,
      isIncomplete: true,
      errors: ['webhook authorizer does not support user rule resolution'],
    }),
  };
}

const noOpinion: Decision = { allowed: false, reason: '' };

function decisionOf({ allowed = false, denied = false, reason = '' }: Partial<SubjectAccessReviewStatus>): Decision {
  if (denied && allowed) {
    const error = 'webhook subject access review returned both allow and deny response';
    return { allowed: false, denied, reason, error };
  }
  return allowed ? { allowed, reason } : { allowed: false, denied, reason };
}

/** v1beta1 calls the groups `group`. */
function asBeta(spec: object): object {
  const { groups, ...rest } = spec as { readonly groups?: readonly string[] };
  return { ...rest, ...(groups && { group: groups }) };
}

const lengthOf = ({ namespace, verb, group, version, resource, subresource, name, path }: Attributes): number =>
  [namespace, verb, group, version, resource, subresource, name, path].reduce((sum, text) => sum + text.length, 0);
