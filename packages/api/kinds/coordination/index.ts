import { registry } from '../define.ts';
import { lease } from './lease.ts';
import { leaseCandidate } from './lease-candidate.ts';

export const coordinationKinds = registry(lease, leaseCandidate);
