import { cidr } from '@kubernode/machinery';
import { each, fields, validate, validateUpdate } from '../../rules/rule.ts';
import { format, immutable, required } from '../../rules/values.ts';
import { ServiceCIDR } from '../../generated/types/networking/v1.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const serviceCidr = define(ServiceCIDR, {
  validate: validate<ServiceCIDR>(
    fields<ServiceCIDR>({ spec: fields<ServiceCIDR['spec']>({ cidrs: [required, each(format(cidr))] }) }),
  ),
  validateUpdate: validateUpdate<ServiceCIDR>(
    fields<ServiceCIDR>({ spec: fields<ServiceCIDR['spec']>({ cidrs: immutable }) }),
  ),
  generation: 'none',
  row: (object, nowMs) => [object.metadata.name, (object.spec.cidrs ?? []).join(','), age(object, nowMs)],
});
