import { labelValue, table } from '@kubernode/machinery';
import type { NodeSelectorTerm } from '../generated/types/core/v1.ts';

/** Labels of nodes that have a successor, or none at all: what clients are warned with. */
const deprecated: Readonly<Record<string, string>> = table({
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
});

/** What to say of a label of nodes that one should not use any more. */
export const deprecatedNodeLabel = (key: string): string | undefined =>
  Object.hasOwn(deprecated, key) ? deprecated[key] : undefined;

/** What a label was called before it became general. */
const generalName: Readonly<Record<string, string>> = table({
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
});

/** Whether a label was only renamed to what it is called now. */
export const isRenamed = (before: string, after: string) =>
  Object.hasOwn(generalName, before) && generalName[before] === after;

/** Warnings about one term of a node selector. */
export function nodeSelectorTermWarnings(
  { matchExpressions = [] }: NodeSelectorTerm,
  path: string,
  { checksValues = false } = {},
): readonly string[] {
  return matchExpressions.flatMap(({ key, values = [] }, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    const message = deprecatedNodeLabel(key);
    const found = message === undefined ? [] : [`${at}.key: ${key} is ${message}`];
    if (!checksValues) return found;
    const wrong = values.flatMap((value, position) =>
      labelValue(value).map((detail) => `${at}.values[${position}]: ${value} is invalid, ${detail}`),
    );
    return [...found, ...wrong];
  });
}
