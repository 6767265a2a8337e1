/** Scenarios that do not agree in every step, and why. */
export const notWhole: Readonly<Record<string, string>> = {
  'admission: mutating policies': 'MutatingAdmissionPolicy is not enforced',
  'admission: service accounts': 'a warning on Secrets of service accounts is missing',
  'admission: validating policies': 'ValidatingAdmissionPolicy is not enforced',
  'bootstrap: other objects': 'alpha APIServices are not among the bootstrap objects',
  'crds: establish and discover': 'CustomResourceDefinitions make no APIServices',
  'discovery: aggregated': 'other media types are refused with another answer',
  health: 'checks have other names',
  'lists: tables of cluster kinds': 'bootstrap objects lack fields',
  metrics: 'some metrics are missing',
  openapi: 'OpenID has no OpenAPI document',
  'patch: invalid results': 'causes name a list or a template instead of their fields',
  'patch: strategic merge of lists': 'a warning on topology spread constraints is missing',
  'root paths': 'some debugging paths are missing',
  'services: ports': 'causes differ',
  'subresources: certificate approval and status': 'the warning on trust bundles is missing',
};
