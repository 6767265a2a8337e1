import { registry } from '../define.ts';
import { ingressClass } from './ingress-class.ts';
import { ingress } from './ingress.ts';
import { ipAddress } from './ip-address.ts';
import { networkPolicy } from './network-policy.ts';
import { serviceCidr } from './service-cidr.ts';

export const networkingKinds = registry(ingressClass, ingress, ipAddress, networkPolicy, serviceCidr);
