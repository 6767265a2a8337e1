import { LeaseCandidate } from '../../generated/types/coordination/v1beta1.ts';
import { LeaseCandidate as LeaseCandidatev1alpha2 } from '../../generated/types/coordination/v1alpha2.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const leaseCandidate = defineVersions([LeaseCandidate, LeaseCandidatev1alpha2], {
  row: (object, nowMs) => [
    object.metadata.name,
    object.spec.leaseName,
    object.spec.binaryVersion,
    object.spec.emulationVersion ?? '',
    age(object, nowMs),
  ],
});
