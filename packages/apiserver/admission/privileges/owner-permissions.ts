import type { KubernetesObject } from '@kubernode/api';
import { deepEqual } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest, Attributes, Authorizer, Decision } from '../../seams.ts';
import { isAbout, refuse } from '../refuse.ts';

type OwnerReference = NonNullable<KubernetesObject['metadata']['ownerReferences']>[number];

/**
 * Who changes whose something is must have the right to delete it, and who lets it hold up its owner's deletion
 * (blockOwnerDeletion), the right to set the owner's finalizers. Off by default.
 */
export function ownerReferencesPermissionEnforcement(authorize: Authorizer): AdmissionPlugin {
  const decide = (request: AdmissionRequest, about: Partial<Attributes>) =>
    authorize(request.user, { ...blank, ...about });
  const check = async (request: AdmissionRequest): Promise<void> => {
    const { group, version, resource, subresource, namespace, name } = request.attributes;
    if (request.operation === 'UPDATE') {
      const own = { verb: 'delete', group, version, resource, subresource, namespace, name };
      const decision = await decide(request, own);
      const why = "cannot set an ownerRef on a resource you can't delete";
      if (!decision.allowed) throw refuse(request, `${why}: ${reasonOf(decision)}`);
    }
    const blocking = newlyBlocking(request);
    if (blocking.length === 0) return;
    const anything = { verb: 'update', group: '*', version: '*', resource: '*', subresource: 'finalizers', name: '*' };
    if ((await decide(request, anything)).allowed) return;
    for (const reference of blocking) {
      const decision = await decide(request, finalizersOf(request, reference));
      if (decision.allowed) continue;
      const why = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
      throw refuse(request, `${why}: ${reasonOf(decision)}`);
    }
  };
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    validate(request) {
      if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return undefined;
      // Kubelets of old spoil them; what a status update says of owners has no effect.
      if (isAbout(request, 'pods', '', 'status') || !changesOwners(request)) return undefined;
      return check(request);
    },
  };
}

const blank: Attributes = {
  verb: '',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  path: '',
};

/** The reason and the error of a decision, as Go prints them. */
const reasonOf = (decision: Decision): string =>
  `${decision.reason ?? ''}, ${('error' in decision && decision.error) || '<nil>'}`;

const ownersOf = (object: KubernetesObject | undefined): readonly OwnerReference[] =>
  object?.metadata?.ownerReferences ?? [];

const changesOwners = ({ object, oldObject }: AdmissionRequest): boolean =>
  !deepEqual(ownersOf(object), ownersOf(oldObject));

/** Those that hold up their owner's deletion now, and did not before. */
function newlyBlocking({ object, oldObject }: AdmissionRequest): readonly OwnerReference[] {
  const before = new Map(ownersOf(oldObject).map((reference) => [reference.uid, reference]));
  return ownersOf(object).filter(
    ({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !before.get(uid)?.blockOwnerDeletion,
  );
}

function finalizersOf(request: AdmissionRequest, { apiVersion, kind, name }: OwnerReference): Partial<Attributes> {
  const found = request.review?.objects.find(apiVersion, kind);
  if (!found) {
    const what = `cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
    const why = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
    throw refuse(request, `cannot set blockOwnerDeletion in this case because ${what}: ${why}`);
  }
  const slash = apiVersion.indexOf('/');
  const [group, version] = [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)];
  const namespace = found.namespaced ? request.attributes.namespace : '';
  return { verb: 'update', group, version, resource: found.resource, subresource: 'finalizers', namespace, name };
}
