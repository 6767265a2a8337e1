import { table } from '@kubernode/machinery';

/**
 * The group versions that upstream's scheme knows, served or not: DeleteOptions and WatchEvent are kinds of each of
 * them. Those with `-` are unknown to the documents of custom resources.
 */
const known: Readonly<Record<string, string>> = table({
  '': 'v1',
  'admission.k8s.io': '-v1 -v1beta1',
  'admissionregistration.k8s.io': 'v1 v1alpha1 v1beta1',
  'apiextensions.k8s.io': '-v1 -v1beta1',
  'apiregistration.k8s.io': '-v1 -v1beta1',
  apps: 'v1 v1beta1 v1beta2',
  'authentication.k8s.io': 'v1 v1alpha1 v1beta1',
  'authorization.k8s.io': 'v1 v1beta1',
  autoscaling: 'v1 v2',
  batch: 'v1 v1beta1',
  'certificates.k8s.io': 'v1 v1alpha1 v1beta1',
  'coordination.k8s.io': 'v1 v1alpha2 v1beta1',
  'discovery.k8s.io': 'v1 v1beta1',
  'events.k8s.io': 'v1 v1beta1',
  extensions: 'v1beta1',
  'flowcontrol.apiserver.k8s.io': 'v1 v1beta1 v1beta2 v1beta3',
  'imagepolicy.k8s.io': '-v1alpha1',
  'internal.apiserver.k8s.io': 'v1alpha1',
  'lifecycle.k8s.io': 'v1alpha1',
  'networking.k8s.io': 'v1 v1beta1',
  'node.k8s.io': 'v1 v1alpha1 v1beta1',
  policy: 'v1 v1beta1',
  'rbac.authorization.k8s.io': 'v1 v1alpha1 v1beta1',
  'resource.k8s.io': 'v1 v1alpha3 v1beta1 v1beta2',
  'scheduling.k8s.io': 'v1 v1alpha3 v1beta1',
  'storage.k8s.io': 'v1 v1alpha1 v1beta1',
  'storagemigration.k8s.io': 'v1 v1beta1',
});

/** What a document is about: everything, custom resources, or one built-in group version. */
export type About = 'all' | 'custom' | { readonly group: string; readonly version: string };

/** `x-kubernetes-group-version-kind` of a kind that every group has. */
export function everywhere(kind: string, about: About): readonly Readonly<Record<string, string>>[] {
  if (typeof about !== 'string') {
    const core = { group: '', kind, version: 'v1' };
    return about.group === '' ? [core] : [core, { group: about.group, kind, version: about.version }];
  }
  return Object.entries(known).flatMap(([group, versions]) =>
    versions
      .split(' ')
      .filter((version) => about === 'all' || !version.startsWith('-'))
      .map((version) => ({ group, kind, version: version.replace('-', '') })),
  );
}
