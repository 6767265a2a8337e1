import { LeaseCandidate } from '../../generated/types/coordination/v1beta1.ts';
import { LeaseCandidate as LeaseCandidatev1alpha2 } from '../../generated/types/coordination/v1alpha2.ts';
import { defineVersions } from '../define.ts';

export const leaseCandidate = defineVersions([LeaseCandidate, LeaseCandidatev1alpha2]);
