import { featureGates, type KubernetesObject } from '@kubernode/api';
import { silentLogger } from '@kubernode/machinery';
import { MetricsRegistry } from '../metrics/registry.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { AdmissionPlugin, ClusterState } from '../seams.ts';
import { noAdmissionConfiguration } from './configuration/admission-configuration.ts';
import { readDynamicConfiguration, type DynamicConfiguration } from './configuration/dynamic-configuration.ts';
import { followManifests, ManifestMetrics } from './configuration/followed-manifests.ts';
import type { Manifests } from './configuration/manifests.ts';
import type { AdmissionOptions } from './plugins.ts';
import { MatchMetrics } from './expressions/match-metrics.ts';
import { PolicyMetrics } from './policies/metrics.ts';
import { mutatingPolicies } from './policies/mutating.ts';
import { mutatingPolicyOf } from './policies/mutating-policy.ts';
import { bindingOf, bound, policySource, type BindingObject, type Policy } from './policies/policy.ts';
import { validatingPolicies } from './policies/validating.ts';
import { validatingPolicyOf } from './policies/validating-policy.ts';
import { mutatingWebhooks } from './webhooks/mutating.ts';
import { WebhookMetrics } from './webhooks/metrics.ts';
import { webhooksOf, type WebhookConfiguration } from './webhooks/configuration.ts';
import { webhookSource, type WebhookSource } from './webhooks/plugin.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

/** The plugins that objects of the API and manifests configure: webhooks and policies. */
export function dynamicPlugins(state: ClusterState, options: AdmissionOptions): AdmissionPlugin[] {
  const { metrics = new MetricsRegistry(), isEnabled = featureGates() } = options;
  const log = (options.log ?? silentLogger).child('admission');
  const sources = new Sources(state, { ...options, metrics, log, isEnabled });
  return [...sources.policies(), ...sources.webhooks()];
}

type Complete = AdmissionOptions & Required<Pick<AdmissionOptions, 'metrics' | 'log' | 'isEnabled'>>;

class Sources {
  readonly #state: ClusterState;
  readonly #options: Complete;
  readonly #manifestMetrics: ManifestMetrics;
  readonly #matchMetrics: MatchMetrics;

  constructor(state: ClusterState, options: Complete) {
    this.#state = state;
    this.#options = options;
    this.#manifestMetrics = new ManifestMetrics(options.metrics);
    this.#matchMetrics = new MatchMetrics(options.metrics);
  }

  policies(): AdmissionPlugin[] {
    const state = this.#state;
    const { clock, authorize, metrics, isEnabled } = this.#options;
    const common = { state, clock, authorize, matchMetrics: this.#matchMetrics };
    const validating = policySource(
      state,
      'validatingadmissionpolicies',
      (object) => validatingPolicyOf(object, state),
      this.#policyManifests('ValidatingAdmissionPolicy', (object) => validatingPolicyOf(object, state)),
    );
    const mutating = policySource(
      state,
      'mutatingadmissionpolicies',
      (object) => mutatingPolicyOf(object, state),
      this.#policyManifests('MutatingAdmissionPolicy', (object) => mutatingPolicyOf(object, state)),
    );
    return [
      ...(isEnabled('MutatingAdmissionPolicy')
        ? [mutatingPolicies(mutating, { ...common, metrics: PolicyMetrics.mutating(metrics) })]
        : []),
      validatingPolicies(validating, { ...common, metrics: PolicyMetrics.validating(metrics) }),
    ];
  }

  /** None where nobody outside can be asked. */
  webhooks(): AdmissionPlugin[] {
    const { outbound, metrics } = this.#options;
    if (!outbound) return [];
    const matchMetrics = this.#matchMetrics;
    const dependencies = { ...this.#options, outbound, matchMetrics, metrics: new WebhookMetrics(metrics) };
    return [
      mutatingWebhooks(this.#webhookSource('MutatingAdmissionWebhook', 'Mutating', outbound), dependencies),
      validatingWebhooks(this.#webhookSource('ValidatingAdmissionWebhook', 'Validating', outbound), dependencies),
    ];
  }

  #webhookSource(plugin: string, type: 'Mutating' | 'Validating', outbound: Outbound): WebhookSource {
    const { credentialsFor, manifestsDirectory } = this.#configuration(plugin);
    const dependencies = { state: this.#state, outbound, credentialsFor };
    const kind = `${type}WebhookConfiguration`;
    const compile = ({ objects }: Manifests) =>
      (objects.get(kind) ?? []).flatMap((object) =>
        webhooksOf(object as unknown as WebhookConfiguration, dependencies),
      );
    const manifests = this.#follow(plugin, manifestsDirectory, [kind], compile);
    const resource = type === 'Mutating' ? 'mutatingwebhookconfigurations' : 'validatingwebhookconfigurations';
    return webhookSource(resource, dependencies, manifests);
  }

  #policyManifests<P extends Policy>(kind: string, compile: (object: KubernetesObject) => P) {
    const state = this.#state;
    return this.#follow(kind, this.#configuration(kind).manifestsDirectory, [kind, `${kind}Binding`], ({ objects }) => {
      const bindings = objects.get(`${kind}Binding`) ?? [];
      const made = bindings.map((object) => bindingOf(object as unknown as BindingObject, state));
      return bound((objects.get(kind) ?? []).map(compile), made);
    });
  }

  #configuration(plugin: string): DynamicConfiguration {
    const { configuration = noAdmissionConfiguration, isEnabled, disable = [] } = this.#options;
    // What is off is not looked at.
    const own = disable.includes(plugin) ? undefined : configuration.configurationFor(plugin);
    return readDynamicConfiguration(plugin, own, isEnabled('ManifestBasedAdmissionControlConfig'));
  }

  #follow<T>(
    plugin: string,
    directory: string,
    kinds: readonly string[],
    make: (manifests: Manifests) => readonly T[],
  ) {
    if (directory === '') return undefined;
    return followManifests(plugin, directory, kinds, make, {
      ...this.#options,
      metrics: this.#manifestMetrics,
      signal: this.#options.signal,
    });
  }
}
