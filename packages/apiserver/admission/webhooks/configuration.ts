import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '@kubernode/api/admissionregistration/v1';
import type { CredentialsFor, Outbound } from '../../outbound/outbound.ts';
import type { Destination } from '../../outbound/destination.ts';
import type { ClusterState } from '../../seams.ts';
import { ExpressionCompiler } from '../expressions/compile.ts';
import { matchConditions, type MatchConditions } from '../expressions/match-conditions.ts';
import { matcherOf, type Matcher } from '../matching/matcher.ts';

/** One webhook of a configuration, made ready once. */
export interface Webhook {
  readonly name: string;
  readonly configurationName: string;
  /** Unique among all: what is run again in a second round. */
  readonly id: string;
  readonly failsOpen: boolean;
  readonly timeoutMs: number;
  readonly sideEffects: string | undefined;
  /** The first of the webhook's that exists. */
  readonly reviewVersion: 'v1' | 'v1beta1' | undefined;
  /** Of mutating ones: to be run again when others changed the object after it. */
  readonly isReinvocable: boolean;
  readonly matches: Matcher;
  readonly conditions: MatchConditions | undefined;
  /** Made when first called. Throws where it cannot be. */
  readonly destination: () => Destination;
}

export interface WebhookDependencies {
  readonly state: ClusterState;
  readonly outbound: Outbound;
  /** `kubeConfigFile` of the plugin's configuration. */
  readonly credentialsFor?: CredentialsFor | undefined;
}

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

const defaultTimeoutSeconds = 10;

/** The webhooks of one configuration, in their order. */
export function webhooksOf(configuration: WebhookConfiguration, dependencies: WebhookDependencies): Webhook[] {
  const configurationName = configuration.metadata.name;
  const seen = new Map<string, number>();
  return (configuration.webhooks ?? []).map((webhook) => {
    const repeats = seen.get(webhook.name) ?? 0;
    seen.set(webhook.name, repeats + 1);
    return webhookOf(webhook, configurationName, `${configurationName}/${webhook.name}/${repeats}`, dependencies);
  });
}

function webhookOf(
  webhook: MutatingWebhook | ValidatingWebhook,
  configurationName: string,
  id: string,
  { state, outbound, credentialsFor }: WebhookDependencies,
): Webhook {
  const { name, rules = [], failurePolicy, matchPolicy, namespaceSelector, objectSelector } = webhook;
  const known = webhook.admissionReviewVersions.find((version) => version === 'v1' || version === 'v1beta1');
  let destination: Destination | undefined;
  return {
    name,
    configurationName,
    id,
    failsOpen: failurePolicy === 'Ignore',
    timeoutMs: (webhook.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
    sideEffects: webhook.sideEffects,
    reviewVersion: known as Webhook['reviewVersion'],
    isReinvocable: 'reinvocationPolicy' in webhook && webhook.reinvocationPolicy === 'IfNeeded',
    matches: matcherOf(state, { rules, namespaceSelector, objectSelector, matchPolicy }),
    conditions: matchConditions(webhook.matchConditions, failurePolicy, new ExpressionCompiler({})),
    destination: () => (destination ??= outbound.destination(webhook.clientConfig, credentialsFor)),
  };
}
