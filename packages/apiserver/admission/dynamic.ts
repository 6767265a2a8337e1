import { silentLogger } from '@kubernode/machinery';
import { MetricsRegistry } from '../metrics/registry.ts';
import type { AdmissionPlugin, ClusterState } from '../seams.ts';
import type { AdmissionOptions } from './plugins.ts';
import { PolicyMetrics } from './policies/metrics.ts';
import { mutatingPolicies } from './policies/mutating.ts';
import { mutatingPolicyOf } from './policies/mutating-policy.ts';
import { policySource } from './policies/policy.ts';
import { validatingPolicies } from './policies/validating.ts';
import { validatingPolicyOf } from './policies/validating-policy.ts';
import { mutatingWebhooks } from './webhooks/mutating.ts';
import { WebhookMetrics } from './webhooks/metrics.ts';
import { webhookSource } from './webhooks/plugin.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

/** The plugins that objects of the API configure: webhooks and policies. */
export function dynamicPlugins(state: ClusterState, options: AdmissionOptions): AdmissionPlugin[] {
  const { metrics = new MetricsRegistry(), log = silentLogger } = options;
  const complete = { ...options, metrics, log: log.child('admission') };
  return [...policyPlugins(state, complete), ...webhookPlugins(state, complete)];
}

type Complete = AdmissionOptions & Required<Pick<AdmissionOptions, 'metrics' | 'log'>>;

function policyPlugins(state: ClusterState, { clock, authorize, metrics }: Complete): AdmissionPlugin[] {
  const common = { state, clock, authorize };
  return [
    mutatingPolicies(
      policySource(state, 'mutatingadmissionpolicies', (object) => mutatingPolicyOf(object, state)),
      { ...common, metrics: PolicyMetrics.mutating(metrics) },
    ),
    validatingPolicies(
      policySource(state, 'validatingadmissionpolicies', (object) => validatingPolicyOf(object, state)),
      { ...common, metrics: PolicyMetrics.validating(metrics) },
    ),
  ];
}

/** None where nobody outside can be asked. */
function webhookPlugins(state: ClusterState, options: Complete): AdmissionPlugin[] {
  const { outbound } = options;
  if (!outbound) return [];
  const dependencies = { ...options, outbound, metrics: new WebhookMetrics(options.metrics) };
  const sourceOf = (resource: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations') =>
    webhookSource(resource, { state, outbound });
  return [
    mutatingWebhooks(sourceOf('mutatingwebhookconfigurations'), dependencies),
    validatingWebhooks(sourceOf('validatingwebhookconfigurations'), dependencies),
  ];
}
