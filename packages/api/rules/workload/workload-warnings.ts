import { dns1123Label } from '@kubernode/machinery';
import type { PodTemplateSpec } from '../../generated/types/core/v1.ts';
import type { ObjectMeta } from '../../generated/types/meta/v1.ts';
import { podTemplateWarnings } from '../pod/warnings.ts';

interface Workload {
  readonly metadata: ObjectMeta;
}

/** Pods are named after what makes them, so its name should do for a host. */
export function hostnameWarnings(name = '', where = 'Pod names and hostnames'): string[] {
  const messages = dns1123Label(name);
  if (messages.length === 0) return [];
  const detail = 'which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: this is used in ${where}, ${detail}: [${messages.join(' ')}]`];
}

/**
 * Warnings about the pods that a workload makes: always when it is made, later where its generation says that the spec
 * changed. `namesHosts`: whether its pods' hosts are named after it.
 */
export function workloadWarnings<T extends Workload>(
  templateOf: (object: T) => PodTemplateSpec | undefined,
  path: string,
  { namesHosts = false } = {},
): (object: T, old: T | undefined) => readonly string[] {
  return (object, old) => {
    if (!old) {
      const named = namesHosts ? hostnameWarnings(object.metadata.name) : [];
      return [...named, ...podTemplateWarnings(templateOf(object), path)];
    }
    return object.metadata.generation === old.metadata.generation ? [] : podTemplateWarnings(templateOf(object), path);
  };
}
