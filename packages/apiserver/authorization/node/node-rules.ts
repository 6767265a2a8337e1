import type { PolicyRule } from '@kubernode/api/rbac/v1';

const read = ['get', 'list', 'watch'];
const rule = (apiGroups: string[], resources: string[], verbs: string[]): PolicyRule => ({
  verbs,
  apiGroups,
  resources,
});

/**
 * What every kubelet may do, whatever its node (the cluster role `system:node`), beside the resources that the Node
 * authorizer looks at one by one.
 */
export const nodeRules: readonly PolicyRule[] = [
  rule(['authentication.k8s.io'], ['tokenreviews'], ['create']),
  rule(['authorization.k8s.io'], ['localsubjectaccessreviews', 'subjectaccessreviews'], ['create']),
  rule([''], ['services'], read),
  rule(['', 'events.k8s.io'], ['events'], ['create', 'patch', 'update']),
  rule([''], ['endpoints'], ['get']),
  rule(['certificates.k8s.io'], ['certificatesigningrequests'], ['create', ...read]),
  rule(['certificates.k8s.io'], ['clustertrustbundles'], read),
  rule(['storage.k8s.io'], ['csidrivers'], read),
  rule(['node.k8s.io'], ['runtimeclasses'], read),
];
