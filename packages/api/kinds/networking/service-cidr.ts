import { ServiceCIDR } from '../../generated/types/networking/v1.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const serviceCidr = define(ServiceCIDR, {
  row: (object, nowMs) => [object.metadata.name, (object.spec.cidrs ?? []).join(','), age(object, nowMs)],
});
