import type { KubernetesObject } from '@kubernode/api';
import type { OwnerReference } from '@kubernode/api/meta/v1';
import type { Informer } from './informer.ts';

/** The owner that manages the object; at most one has `controller: true`. */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

/** The index that files objects under their controller's uid, and those without one under their namespace. */
const controllerIndex = 'controller';

/** What `owner` controls, as far as the informer has seen. */
export function controlledBy<T>(informer: Informer<T>, owner: KubernetesObject): readonly T[] {
  informer.addIndex(controllerIndex, controllerKeys);
  return informer.byIndex(controllerIndex, `uid/${owner.metadata.uid}`);
}

/** What no controller has claimed in a namespace. */
export function orphansIn<T>(informer: Informer<T>, namespace: string): readonly T[] {
  informer.addIndex(controllerIndex, controllerKeys);
  return informer.byIndex(controllerIndex, `orphans/${namespace}`);
}

function controllerKeys(object: unknown): readonly string[] {
  const owner = controllerOf(object as KubernetesObject);
  return [owner ? `uid/${owner.uid}` : `orphans/${(object as KubernetesObject).metadata.namespace ?? ''}`];
}
