import { silentLogger } from '@kubernode/machinery';
import { MetricsRegistry } from '../metrics/registry.ts';
import type { AdmissionPlugin, ClusterState } from '../seams.ts';
import type { AdmissionOptions } from './plugins.ts';
import { mutatingWebhooks } from './webhooks/mutating.ts';
import { WebhookMetrics } from './webhooks/metrics.ts';
import { webhookSource } from './webhooks/plugin.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

/** The plugins that objects of the API configure: webhooks and policies. */
export function dynamicPlugins(state: ClusterState, options: AdmissionOptions): AdmissionPlugin[] {
  const { metrics = new MetricsRegistry(), log = silentLogger } = options;
  return webhookPlugins(state, { ...options, metrics, log: log.child('admission') });
}

type Complete = AdmissionOptions & Required<Pick<AdmissionOptions, 'metrics' | 'log'>>;

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
