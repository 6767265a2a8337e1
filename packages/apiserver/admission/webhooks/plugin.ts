import { StatusError } from '@kubernode/api';
import type { Logger } from '@kubernode/machinery';
import type { AdmissionRequest, Attributes, Authorizer } from '../../seams.ts';
import { ExpressionAuthorizer } from '../expressions/authorizer.ts';
import { requestBindings } from '../expressions/bindings.ts';
import type { MatchMetrics } from '../expressions/match-metrics.ts';
import type { ReviewedVersion } from '../matching/reviewed-request.ts';
import type { Views } from '../matching/views.ts';
import type { CallDependencies } from './call.ts';
import { CompiledObjects } from '../matching/compiled-objects.ts';
import { webhooksOf, type Webhook, type WebhookConfiguration, type WebhookDependencies } from './configuration.ts';
import { isExemptFromWebhooks, isReview } from './exempt.ts';
import type { WebhookMetrics } from './metrics.ts';

export interface WebhookPluginDependencies extends CallDependencies {
  readonly authorize: Authorizer;
  readonly metrics: WebhookMetrics;
  readonly matchMetrics: MatchMetrics;
  readonly log: Logger;
}

/** All webhooks of one kind. */
export interface WebhookSource {
  /** Those that may be asked about such a resource, in their order. */
  webhooksFor(attributes: Attributes): readonly Webhook[];
}

/** Webhooks that a manifest file configures: asked before those of the API, and about everything but reviews. */
export interface ManifestWebhooks {
  readonly current: readonly Webhook[];
}

const none: readonly Webhook[] = [];

/** The webhooks of the API's configurations, after those of manifests. */
export function webhookSource(
  resource: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations',
  dependencies: WebhookDependencies,
  manifests?: ManifestWebhooks,
): WebhookSource {
  const configurations = new CompiledObjects(dependencies.state, resource, (object) =>
    webhooksOf(object as unknown as WebhookConfiguration, dependencies),
  );
  let from: readonly (readonly Webhook[])[] = [];
  let fromManifests: readonly Webhook[] = none;
  let all: readonly Webhook[] = none;
  return {
    webhooksFor(attributes) {
      const { all: current } = configurations;
      const own = manifests?.current ?? none;
      if (current !== from || own !== fromManifests) {
        all = [...own, ...current.flat()];
        from = current;
        fromManifests = own;
      }
      if (all.length === 0 || isReview(attributes)) return none;
      return isExemptFromWebhooks(attributes) ? own : all;
    },
  };
}

/** Whether the match conditions hold. Throws Forbidden where they fail and failures are not ignored. */
export async function shouldCall(
  webhook: Webhook,
  type: 'admit' | 'validating',
  request: AdmissionRequest,
  version: ReviewedVersion,
  views: Views,
  { authorize, clock, matchMetrics }: WebhookPluginDependencies,
): Promise<boolean> {
  const { conditions, name } = webhook;
  if (!conditions) return true;
  await views.prepare(version);
  const authorizer = new ExpressionAuthorizer(authorize, request);
  const bindings = { ...requestBindings(request, version, views), ...authorizer.bindings };
  const startedMs = clock.now();
  const matched = await authorizer.settled(() => conditions(bindings));
  const owner = { name, kind: 'webhook', type: type === 'admit' ? 'admit' : 'validate' } as const;
  matchMetrics.evaluated(owner, request.operation, matched, clock.now() - startedMs);
  const { matches, error } = matched;
  if (error !== undefined) {
    const { group, resource } = request.attributes;
    throw StatusError.forbidden({ group, plural: resource }, request.review?.name ?? '', error);
  }
  return matches;
}

/** A failure of ours as the client sees it. */
export const internal = (message: string): StatusError => StatusError.from(new Error(message));
