import { EndpointSlice } from '../../generated/types/discovery/v1.ts';
import { define } from '../define.ts';

export const endpointSlice = define(EndpointSlice);
