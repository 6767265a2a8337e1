import { featureGates, type IsEnabled, type User } from '@kubernode/api';
import { parseFieldSelector, table } from '@kubernode/machinery';
import type { Attributes, ClusterState, Decision } from '../../seams.ts';
import { NodeGraph, type NeededResource } from './node-graph.ts';
import { nodeOf } from './node-identity.ts';
import { nodeRules } from './node-rules.ts';
import { ruleAllows } from '../rbac/rules.ts';

const allowed: Decision = { allowed: true };
const refused = (reason: string): Decision => ({ allowed: false, reason });
const readVerbs = new Set(['get', 'list', 'watch']);

/**
 * The Node authorizer (KEP-4601 included): a kubelet reads what its own pods need, and nothing else of secrets, config
 * maps, claims, volumes, pods and nodes. For all other resources one list of rules holds for every node.
 */
export function createNodeAuthorizer(
  state: ClusterState,
  isEnabled: IsEnabled = featureGates(),
): (user: User, attributes: Attributes) => Decision {
  const graph = new NodeGraph(state);
  return (user, attributes) => {
    const identity = nodeOf(user);
    if (!identity) return refused('');
    if (identity.name === '') return refused(`unknown node for user ${JSON.stringify(user.name)}`);
    const special = attributes.resource ? specials[`${attributes.group}/${attributes.resource}`] : undefined;
    if (special) return special(identity.name, attributes, graph, { state, isEnabled });
    return nodeRules.some((rule) => ruleAllows(rule, attributes)) ? allowed : refused('');
  };
}

interface Surroundings {
  readonly state: ClusterState;
  readonly isEnabled: IsEnabled;
}

type Special = (node: string, attributes: Attributes, graph: NodeGraph, surroundings: Surroundings) => Decision;

const specials: Readonly<Record<string, Special>> = table({
  '/secrets': (node, attributes, graph) => readNeeded(node, 'secrets', attributes, graph),
  '/configmaps': (node, attributes, graph) => readNeeded(node, 'configmaps', attributes, graph),
  '/persistentvolumeclaims': (node, attributes, graph) => {
    if (attributes.subresource !== 'status') return getNeeded(node, 'persistentvolumeclaims', attributes, graph);
    if (!['update', 'patch'].includes(attributes.verb)) return refused('can only get/update/patch this type');
    return needed(node, 'persistentvolumeclaims', attributes, graph);
  },
  '/persistentvolumes': (node, attributes, graph) =>
    onlyGet(attributes) ?? related(node, graph.needsVolume(node, attributes.name)),
  'resource.k8s.io/resourceclaims': (node, attributes, graph) => getNeeded(node, 'resourceclaims', attributes, graph),
  'storage.k8s.io/volumeattachments': (node, attributes, _graph, { state }) =>
    onlyGet(attributes) ?? related(node, attachedTo(state, attributes.name) === node),
  '/serviceaccounts': ofServiceAccount,
  'certificates.k8s.io/podcertificaterequests': ofCertificateRequest,
  'coordination.k8s.io/leases': ownLease,
  'storage.k8s.io/csinodes': ownCsiNode,
  'resource.k8s.io/resourceslices': ownSlice,
  '/nodes': ownNode,
  '/pods': ownPods,
});

const related = (node: string, isRelated: boolean): Decision =>
  isRelated ? allowed : refused(`no relationship found between node '${node}' and this object`);

function needed(node: string, resource: NeededResource, { namespace, name }: Attributes, graph: NodeGraph): Decision {
  if (name === '') return refused('No Object name found');
  return related(node, graph.needs(node, resource, namespace, name));
}

function readNeeded(node: string, resource: NeededResource, attributes: Attributes, graph: NodeGraph): Decision {
  if (!readVerbs.has(attributes.verb)) return refused('can only read resources of this type');
  if (attributes.subresource) return refused('cannot read subresource');
  if (!attributes.namespace) return refused('can only read namespaced object of this type');
  return needed(node, resource, attributes, graph);
}

function onlyGet({ verb, subresource }: Attributes): Decision | undefined {
  if (verb !== 'get') return refused('can only get individual resources of this type');
  return subresource ? refused('cannot get subresource') : undefined;
}

const getNeeded = (node: string, resource: NeededResource, attributes: Attributes, graph: NodeGraph): Decision =>
  onlyGet(attributes) ?? needed(node, resource, attributes, graph);

const attachedTo = (state: ClusterState, name: string): string | undefined =>
  (state.get('storage.k8s.io', 'volumeattachments', name) as { spec?: { nodeName?: string } } | undefined)?.spec
    ?.nodeName;

function ofServiceAccount(
  node: string,
  attributes: Attributes,
  graph: NodeGraph,
  { isEnabled }: Surroundings,
): Decision {
  const { verb, name, subresource, namespace } = attributes;
  // Credential providers for images may look at the account itself (KEP-4412).
  if (subresource === '' && verb === 'get') {
    const mayRead = isEnabled('KubeletServiceAccountTokenForCredentialProviders') || isEnabled('PodCertificateRequest');
    return mayRead
      ? readNeeded(node, 'serviceaccounts', attributes, graph)
      : refused('not allowed to get service accounts');
  }
  if (verb !== 'create' || name === '') return refused('can only create tokens for individual service accounts');
  if (subresource !== 'token') return refused('can only create token subresource of serviceaccount');
  return related(node, graph.needs(node, 'serviceaccounts', namespace, name));
}

const ownVerbs = new Set(['get', 'create', 'update', 'patch', 'delete']);

function ownLease(node: string, { verb, namespace, name }: Attributes): Decision {
  if (!ownVerbs.has(verb)) return refused('can only get, create, update, patch, or delete a node lease');
  if (namespace !== 'kube-node-lease')
    return refused('can only access leases in the "kube-node-lease" system namespace');
  // At creation the name is not known here; the NodeRestriction plugin looks at it.
  if (verb === 'create' || name === node) return allowed;
  return refused('can only access node lease with the same name as the requesting node');
}

function ownCsiNode(
  node: string,
  { verb, subresource, name }: Attributes,
  _graph: NodeGraph,
  { isEnabled }: Surroundings,
): Decision {
  if (subresource === '' && !ownVerbs.has(verb))
    return refused('can only get, create, update, patch, or delete a CSINode');
  if (subresource === 'status') {
    if (!isEnabled('CSIVolumeHealth')) return refused('CSINode status access requires CSIVolumeHealth feature');
    if (!['get', 'update', 'patch'].includes(verb)) return refused('can only get, update, or patch CSINode status');
  } else if (subresource !== '') return refused('cannot authorize CSINode subresources');
  if (verb === 'create' || name === node) return allowed;
  return refused('can only access CSINode with the same name as the requesting node');
}

function ownSlice(node: string, attributes: Attributes, _graph: NodeGraph, { state }: Surroundings): Decision {
  const { verb, subresource, name, fieldSelector } = attributes;
  if (subresource) return refused('cannot authorize ResourceSlice subresources');
  if (verb === 'create') return allowed;
  if (['get', 'update', 'patch', 'delete'].includes(verb)) {
    const slice = state.get('resource.k8s.io', 'resourceslices', name) as { spec?: { nodeName?: string } } | undefined;
    return related(node, slice?.spec?.nodeName === node);
  }
  if (!['watch', 'list', 'deletecollection'].includes(verb)) {
    const verbs = 'get, watch, list, create, update, patch, delete, deletecollection';
    return refused(`only the following verbs are allowed for a ResourceSlice: ${verbs}`);
  }
  if (selects(fieldSelector, 'spec.nodeName', node)) return allowed;
  return refused('can only list/watch/deletecollection resourceslices with nodeName field selector');
}

function ofCertificateRequest(
  node: string,
  attributes: Attributes,
  _graph: NodeGraph,
  { state, isEnabled }: Surroundings,
): Decision {
  const { verb, subresource, name, namespace, fieldSelector } = attributes;
  if (!isEnabled('PodCertificateRequest')) return refused('');
  if (subresource) return refused('nodes may not access the status subresource of PodCertificateRequests');
  if (verb === 'create') return allowed;
  if (verb === 'get') {
    if (name === '') return refused('No Object name found');
    const asked = state.get('certificates.k8s.io', 'podcertificaterequests', name, namespace);
    return related(node, (asked as { spec?: { nodeName?: string } } | undefined)?.spec?.nodeName === node);
  }
  if (verb !== 'list' && verb !== 'watch') return refused(`nodes may not ${verb} podcertificaterequests`);
  if (selects(fieldSelector, 'spec.nodeName', node)) return allowed;
  return refused('can only list/watch podcertificaterequests with nodeName field selector');
}

function ownNode(node: string, { verb, subresource, name }: Attributes): Decision {
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? allowed : refused('');
  if (subresource !== '') return refused('');
  // The NodeRestriction plugin keeps writes to the own node.
  if (['create', 'update', 'patch'].includes(verb)) return allowed;
  if (!readVerbs.has(verb)) return refused('');
  if (name === node) return allowed;
  const what = name === '' ? 'all nodes' : `'${name}'`;
  return refused(`node '${node}' cannot read ${what}, only its own Node object`);
}

function ownPods(node: string, attributes: Attributes, graph: NodeGraph): Decision {
  const { verb, subresource, name, fieldSelector } = attributes;
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? allowed : refused('');
  if (subresource === 'eviction') return verb === 'create' ? allowed : refused('');
  if (subresource !== '') return refused('');
  if (verb === 'get') return getNeeded(node, 'pods', attributes, graph);
  if (verb === 'create' || verb === 'delete') return allowed;
  if (verb !== 'list' && verb !== 'watch') return refused('');
  if (selects(fieldSelector, 'spec.nodeName', node)) return allowed;
  if (name !== '') return needed(node, 'pods', attributes, graph);
  return refused('can only list/watch pods with spec.nodeName field selector');
}

/** Whether the selector narrows down to objects whose `field` is `value`. */
function selects(selector: string | undefined, field: string, value: string): boolean {
  if (!selector) return false;
  try {
    return parseFieldSelector(selector).some((r) => r.field === field && r.operator === '=' && r.value === value);
  } catch {
    return false;
  }
}
