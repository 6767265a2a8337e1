import { DeviceClass } from '../../generated/types/resource/v1.ts';
import { DeviceClass as DeviceClassv1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { DeviceClass as DeviceClassv1beta1 } from '../../generated/types/resource/v1beta1.ts';
import { deepEqual } from '@kubernode/machinery';
import { selectors, upTo } from '../../rules/devices/claim.ts';
import { configuration } from '../../rules/devices/configuration.ts';
import type { FieldCause } from '../../status-error.ts';
import { subdomainName } from '../../rules/names.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

const configsMax = 32;

/** Selectors that an update left alone are not compiled again. */
function causes({ spec }: DeviceClass, old?: DeviceClass): readonly FieldCause[] {
  const found = old && deepEqual(spec.selectors, old.spec.selectors) ? [] : selectors(spec.selectors, 'spec.selectors');
  const isStored = old !== undefined && deepEqual(spec.config, old.spec.config);
  const configs = upTo(configsMax, spec.config);
  return [...found, ...configs.flatMap((one, index) => configuration(one, `spec.config[${index}]`, isStored))];
}

export const deviceClass = defineVersions([DeviceClass, DeviceClassv1beta2, DeviceClassv1beta1], {
  validateCreate: (object) => causes(object),
  validateUpdate: causes,
  // Upstream does not look at what a name is generated from.
  validateName: (name, isPrefix) => (isPrefix ? [] : subdomainName(name, false)),
  generation: 'spec',
  rechecksName: true,
  row: (object) => [object.metadata.name, age(object)],
});
