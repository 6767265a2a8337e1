import { ResourceClaim } from '../../generated/types/resource/v1.ts';
import { ResourceClaim as ResourceClaimv1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { ResourceClaim as ResourceClaimv1beta1 } from '../../generated/types/resource/v1beta1.ts';
import type { ResourceClaimStatus } from '../../generated/types/resource/v1.ts';
import { claimStatus } from '../../rules/devices/allocation.ts';
import { deviceClaim } from '../../rules/devices/claim.ts';
import { requestDefaults } from '../../rules/devices/defaults.ts';
import { claimAsV1 } from '../../rules/devices/versions.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const resourceClaim = defineVersions([ResourceClaim, ResourceClaimv1beta2, ResourceClaimv1beta1], {
  defaults: ({ spec }) => spec.devices.requests?.forEach(requestDefaults),
  validateCreate: (object) => deviceClaim(claimAsV1(object).spec.devices, 'spec.devices'),
  validateStatusUpdate: (object, old) => claimStatus(claimAsV1(object), old),
  generation: 'none',
  rechecksName: true,
  row: (object) => [object.metadata.name, stateCell(object.metadata.deletionTimestamp, object.status), age(object)],
});

function stateCell(deletion: string | undefined, { allocation, reservedFor = [] }: ResourceClaimStatus): string {
  const words = deletion ? ['deleted'] : [];
  if (!allocation) return deletion ? 'deleted' : 'pending';
  words.push('allocated');
  if (reservedFor.length > 0) words.push('reserved');
  return words.join(',');
}
