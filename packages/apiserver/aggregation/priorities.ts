import { table } from '@kubernode/machinery';

/** The priorities of the built-in groups and of their versions in discovery (upstream's aggregator.go). */
const groups: Readonly<Record<string, readonly [group: number, versions: Readonly<Record<string, number>>]>> = table({
  '': [18_000, { v1: 1 }],
  apps: [17_800, { v1: 15 }],
  'events.k8s.io': [17_750, { v1: 15 }],
  'authentication.k8s.io': [17_700, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'authorization.k8s.io': [17_600, { v1: 15 }],
  autoscaling: [17_500, { v1: 15, v2: 30 }],
  batch: [17_400, { v1: 15 }],
  'certificates.k8s.io': [17_300, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'networking.k8s.io': [17_200, { v1: 15, v1beta1: 9 }],
  policy: [17_100, { v1: 15 }],
  'rbac.authorization.k8s.io': [17_000, { v1: 15 }],
  'storage.k8s.io': [16_800, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'admissionregistration.k8s.io': [16_700, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
  'apiextensions.k8s.io': [16_700, { v1: 15 }],
  'scheduling.k8s.io': [16_600, { v1: 15, v1alpha3: 3 }],
  'coordination.k8s.io': [16_500, { v1: 15, v1beta1: 13, v1alpha2: 12 }],
  'node.k8s.io': [16_300, { v1: 15 }],
  'discovery.k8s.io': [16_200, { v1: 15 }],
  'resource.k8s.io': [16_200, { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1 }],
  'flowcontrol.apiserver.k8s.io': [16_100, { v1: 21 }],
  'internal.apiserver.k8s.io': [16_000, { v1alpha1: 9 }],
  'storagemigration.k8s.io': [15_800, { v1: 15, v1beta1: 9 }],
  'lifecycle.k8s.io': [15_700, { v1alpha1: 1 }],
});

/** Undefined of the group that APIServices are in: it has none of its own, and comes first in discovery. */
export function builtInPriorities(
  group: string,
  version: string,
): { readonly groupPriority: number; readonly versionPriority: number } | undefined {
  const [groupPriority, versions = {}] = groups[group] ?? [];
  return groupPriority === undefined ? undefined : { groupPriority, versionPriority: versions[version] ?? 1 };
}
