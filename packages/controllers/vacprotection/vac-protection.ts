import { PersistentVolume, PersistentVolumeClaim } from '@kubernode/api/core/v1';
import { VolumeAttributesClass } from '@kubernode/api/storage/v1';
import { controller, mapped } from '@kubernode/client';

const finalizer = 'kubernetes.io/vac-protection';

/** Keeps a class of volume attributes as long as a claim or a volume names it (KEP-3751). */
export const vacProtectionController = controller<VolumeAttributesClass>({
  name: 'volumeattributesclass-protection-controller',
  reconciles: VolumeAttributesClass,
  watches: [mapped(PersistentVolumeClaim, classesOfClaim), mapped(PersistentVolume, classesOfVolume)],
  writes: [VolumeAttributesClass],
  async reconcile(found, { client, informer, name }) {
    const { finalizers = [], deletionTimestamp } = found.metadata;
    if (deletionTimestamp ? !finalizers.includes(finalizer) : finalizers.includes(finalizer)) return;
    if (deletionTimestamp) {
      const [claims, volumes] = [informer(PersistentVolumeClaim), informer(PersistentVolume)];
      claims.addIndex('class', classesOfClaim);
      volumes.addIndex('class', classesOfVolume);
      if (claims.byIndex('class', name).length > 0 || volumes.byIndex('class', name).length > 0) return;
    }
    const others = finalizers.filter((each) => each !== finalizer);
    const metadata = { ...found.metadata, finalizers: deletionTimestamp ? others : [...others, finalizer] };
    await client.update(VolumeAttributesClass, { ...found, metadata });
  },
});

/** What a claim asks for, what it has, and what it is being changed to. */
export function classesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.flatMap((name) => name || []))];
}

function classesOfVolume({ spec }: PersistentVolume): string[] {
  return spec.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];
}
