import type { Attributes } from '../../seams.ts';

/** Reviews of who somebody is and what he may do: a webhook or policy on them could shut everybody out. */
const reviews: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

const configurations: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);
const webhookConfigurations: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
]);

/** What no webhook and no policy is ever asked about. */
export const isReview = ({ group, resource }: Attributes): boolean => reviews.has(`${group}/${resource}`);

/** What webhooks of the API are not asked about: a mistake in one could not be mended any more. */
export const isExemptFromWebhooks = (attributes: Attributes): boolean =>
  isExemptFromPolicies(attributes) ||
  (attributes.group === 'admissionregistration.k8s.io' && webhookConfigurations.has(attributes.resource));

/** The same for policies, which webhook configurations are not exempt from. */
export const isExemptFromPolicies = ({ group, resource }: Attributes): boolean =>
  group === 'admissionregistration.k8s.io' && configurations.has(resource);
