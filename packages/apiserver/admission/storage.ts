import type { IsEnabled, KubernetesObject } from '@kubernode/api';
import type { PersistentVolume, PersistentVolumeClaim } from '@kubernode/api/core/v1';
import type { Ingress } from '@kubernode/api/networking/v1';
import type { StorageClass } from '@kubernode/api/storage/v1';
import { compareQuantities } from '@kubernode/machinery';
import type { AdmissionPlugin, ClusterState } from '../seams.ts';
import { created, isAbout, refuse } from './refuse.ts';

const storageGroup = 'storage.k8s.io';
const claimClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** What pods use is deleted only when they are gone: the finalizers that its controllers take off. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  resources: ['persistentvolumeclaims', 'persistentvolumes', 'volumeattributesclasses'],
  mutate(request) {
    const claim = created<PersistentVolumeClaim>(request, 'persistentvolumeclaims');
    if (claim) addFinalizer(claim, 'kubernetes.io/pvc-protection');
    const volume = created<PersistentVolume>(request, 'persistentvolumes');
    if (volume) addFinalizer(volume, 'kubernetes.io/pv-protection');
    const attributesClass = created(request, 'volumeattributesclasses', storageGroup);
    if (attributesClass) addFinalizer(attributesClass, 'kubernetes.io/vac-protection');
  },
};

/** A PodGroup stays as long as there are pods of it: its controller takes the finalizer away (gate GenericWorkload). */
export function podGroupProtection(isEnabled: IsEnabled): AdmissionPlugin {
  const isOn = isEnabled('GenericWorkload');
  return {
    name: 'PodGroupProtection',
    resources: ['podgroups'],
    mutate(request) {
      const group = isOn && created(request, 'podgroups', 'scheduling.k8s.io');
      if (group) addFinalizer(group, 'scheduling.k8s.io/podgroup-protection');
    },
  };
}

function addFinalizer({ metadata }: KubernetesObject, finalizer: string): void {
  const finalizers = (metadata.finalizers ??= []);
  if (!finalizers.includes(finalizer)) finalizers.push(finalizer);
}

/** A claim that names no class, not even the empty one, gets the default class. */
export function defaultStorageClass(state: ClusterState): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    resources: ['persistentvolumeclaims'],
    mutate(request) {
      const claim = created<PersistentVolumeClaim>(request, 'persistentvolumeclaims');
      if (!claim || claim.metadata.annotations?.[claimClassAnnotation] !== undefined) return;
      if (claim.spec.storageClassName !== undefined && claim.spec.storageClassName !== null) return;
      const annotations = [
        'storageclass.kubernetes.io/is-default-class',
        'storageclass.beta.kubernetes.io/is-default-class',
      ];
      const chosen = defaultOf(state.list(storageGroup, 'storageclasses'), annotations);
      if (chosen) claim.spec.storageClassName = chosen.metadata.name;
    },
  };
}

/** An ingress that names no class gets the default class. */
export function defaultIngressClass(state: ClusterState): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    resources: ['ingresses'],
    mutate(request) {
      const ingress = created<Ingress>(request, 'ingresses', 'networking.k8s.io');
      if (!ingress || ingress.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined) return;
      if ((ingress.spec ??= {}).ingressClassName !== undefined) return;
      const classes = state.list('networking.k8s.io', 'ingressclasses');
      const chosen = defaultOf(classes, ['ingressclass.kubernetes.io/is-default-class']);
      if (chosen) ingress.spec.ingressClassName = chosen.metadata.name;
    },
  };
}

/** Of several defaults the newest, and of those made in the same second the first by name. */
function defaultOf(classes: readonly KubernetesObject[], annotations: readonly string[]): KubernetesObject | undefined {
  const createdAt = ({ metadata }: KubernetesObject) => metadata.creationTimestamp ?? '';
  return classes
    .filter(({ metadata }) => annotations.some((annotation) => metadata.annotations?.[annotation] === 'true'))
    .sort((a, b) => createdAt(b).localeCompare(createdAt(a)) || a.metadata.name.localeCompare(b.metadata.name))[0];
}

/** Only claims whose class allows it may grow. */
export function persistentVolumeClaimResize(state: ClusterState): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    resources: ['persistentvolumeclaims'],
    validate(request) {
      if (request.operation !== 'UPDATE' || !isAbout(request, 'persistentvolumeclaims')) return;
      const [claim, old] = [request.object as PersistentVolumeClaim, request.oldObject as PersistentVolumeClaim];
      const [size, oldSize] = [claim.spec.resources?.requests?.['storage'], old.spec.resources?.requests?.['storage']];
      if (size === undefined || oldSize === undefined || compareQuantities(size, oldSize) <= 0) return;
      if (old.status?.phase !== 'Bound') throw refuse(request, 'Only bound persistent volume claims can be expanded');
      const className = claim.metadata.annotations?.[claimClassAnnotation] ?? claim.spec.storageClassName ?? '';
      const storageClass = state.get(storageGroup, 'storageclasses', className) as StorageClass | undefined;
      if (storageClass?.allowVolumeExpansion) return;
      const why =
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
      throw refuse(request, why);
    },
  };
}
