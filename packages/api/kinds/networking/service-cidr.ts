import { ServiceCIDR } from '../../generated/types/networking/v1.ts';
import { define } from '../define.ts';

export const serviceCidr = define(ServiceCIDR);
