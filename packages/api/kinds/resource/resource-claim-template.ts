import { ResourceClaimTemplate } from '../../generated/types/resource/v1.ts';
import { ResourceClaimTemplate as ResourceClaimTemplatev1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { ResourceClaimTemplate as ResourceClaimTemplatev1beta1 } from '../../generated/types/resource/v1beta1.ts';
import { immutable } from '../../rules/values.ts';
import { deviceClaim } from '../../rules/devices/claim.ts';
import { templateAsV1 } from '../../rules/devices/versions.ts';
import { templateMetadata } from '../../rules/devices/template.ts';
import { requestDefaults } from '../../rules/devices/defaults.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const resourceClaimTemplate = defineVersions(
  [ResourceClaimTemplate, ResourceClaimTemplatev1beta2, ResourceClaimTemplatev1beta1],
  {
    defaults: ({ spec: { spec } }) => spec.devices.requests?.forEach(requestDefaults),
    validate(object) {
      const { metadata, spec } = templateAsV1(object).spec;
      return [...templateMetadata(metadata, 'spec.metadata'), ...deviceClaim(spec.devices, 'spec.spec.devices')];
    },
    validateUpdate: (object, old) => immutable(object.spec, 'spec', old.spec),
    rechecksName: true,
    row: (object) => [object.metadata.name, age(object)],
  },
);
