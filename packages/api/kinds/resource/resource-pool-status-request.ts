import { ResourcePoolStatusRequest } from '../../generated/types/resource/v1alpha3.ts';
import { define } from '../define.ts';

export const resourcePoolStatusRequest = define(ResourcePoolStatusRequest);
