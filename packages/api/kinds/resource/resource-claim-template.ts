import { ResourceClaimTemplate } from '../../generated/types/resource/v1.ts';
import { ResourceClaimTemplate as ResourceClaimTemplatev1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { ResourceClaimTemplate as ResourceClaimTemplatev1beta1 } from '../../generated/types/resource/v1beta1.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const resourceClaimTemplate = defineVersions(
  [ResourceClaimTemplate, ResourceClaimTemplatev1beta2, ResourceClaimTemplatev1beta1],
  {
    row: (object, nowMs) => [object.metadata.name, age(object, nowMs)],
  },
);
