import { registry } from '../define.ts';
import { endpointSlice } from './endpoint-slice.ts';

export const discoveryKinds = registry(endpointSlice);
