import { registry } from '../define.ts';
import { evictionRequest } from './eviction-request.ts';
import { eviction } from './eviction.ts';

export const lifecycleKinds = registry(evictionRequest, eviction);
