import { StatusError } from '@kubernode/api';
import type { Scale } from '@kubernode/api/autoscaling/v1';
import { formatLabelSelector, type LabelSelectorLike } from '@kubernode/machinery';
import type { ServedResource } from '../../registry.ts';
import type { ApiObject } from '../../storage/encoding.ts';

/** Where replicas and selector are. Throws NotFound for a resource without a scale. */
export function pathsOf(resource: ServedResource) {
  const { scale } = resource.definition;
  if (!scale) throw StatusError.notFound(resource, '');
  return scale;
}

/** The Scale that an object has. */
export function scaleOf(resource: ServedResource, object: ApiObject): Scale {
  const { specReplicas, statusReplicas, selector } = pathsOf(resource);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const found = selector ? valueAt(object, selector) : undefined;
  const text = selectorText(found);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: withReplicas(valueAt(object, specReplicas)),
    status: { replicas: Number(valueAt(object, statusReplicas) ?? 0), ...(text ? { selector: text } : {}) },
  };
}

const withReplicas = (value: unknown): Scale['spec'] => (value ? { replicas: Number(value) } : {});

/** A LabelSelector, a ReplicationController's map, or a custom resource's text. */
function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector;
  if (typeof selector !== 'object' || selector === null) return '';
  const isLabelSelector = 'matchLabels' in selector || 'matchExpressions' in selector;
  return formatLabelSelector(
    isLabelSelector ? (selector as LabelSelectorLike) : { matchLabels: selector as Record<string, string> },
  );
}

export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}

export function setAt(object: ApiObject, path: string, value: unknown): void {
  const names = path.split('.');
  let target: Record<string, unknown> = object;
  for (const name of names.slice(0, -1)) target = (target[name] ??= {}) as Record<string, unknown>;
  target[names[names.length - 1]!] = value;
}
