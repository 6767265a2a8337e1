import type { Kind, KubernetesObject } from '@kubernode/api';
import type { OwnerReference } from '@kubernode/api/meta/v1';

/** The reference of an object to the controller that manages it. */
export function controllerReference(kind: Kind<unknown>, { metadata }: KubernetesObject): OwnerReference {
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** An object as it came from a list, with the kind that events need. */
export function withKind<T extends KubernetesObject>(kind: Kind<T>, object: T): T {
  return object.kind ? object : { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
}
