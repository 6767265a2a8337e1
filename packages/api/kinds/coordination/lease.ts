import { Lease } from '../../generated/types/coordination/v1.ts';
import { define } from '../define.ts';

export const lease = define(Lease);
