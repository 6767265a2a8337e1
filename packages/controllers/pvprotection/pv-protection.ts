import { PersistentVolume } from '@kubernode/api/core/v1';
import { controller } from '@kubernode/client';

const finalizer = 'kubernetes.io/pv-protection';

/** Keeps a volume as long as it is bound. */
export const pvProtectionController = controller<PersistentVolume>({
  name: 'pv-protection-controller',
  reconciles: PersistentVolume,
  writes: [PersistentVolume],
  async reconcile(volume, { client }) {
    const { finalizers = [], deletionTimestamp } = volume.metadata;
    const isProtected = finalizers.includes(finalizer);
    const isBound = volume.status.phase === 'Bound';
    if (deletionTimestamp ? !isProtected || isBound : isProtected) return;
    const others = finalizers.filter((name) => name !== finalizer);
    const metadata = { ...volume.metadata, finalizers: deletionTimestamp ? others : [...others, finalizer] };
    await client.update(PersistentVolume, { ...volume, metadata });
  },
});
