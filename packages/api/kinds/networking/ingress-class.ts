import { IngressClass } from '../../generated/types/networking/v1.ts';
import { define } from '../define.ts';

export const ingressClass = define(IngressClass);
