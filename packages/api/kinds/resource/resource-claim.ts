import { ResourceClaim } from '../../generated/types/resource/v1.ts';
import { ResourceClaim as ResourceClaimv1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { ResourceClaim as ResourceClaimv1beta1 } from '../../generated/types/resource/v1beta1.ts';
import { defineVersions } from '../define.ts';

export const resourceClaim = defineVersions([ResourceClaim, ResourceClaimv1beta2, ResourceClaimv1beta1]);
