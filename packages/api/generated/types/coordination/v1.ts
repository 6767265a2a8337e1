// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type Lease = types.Lease;
export const Lease = kind<Lease>({"group":"coordination.k8s.io","version":"v1","kind":"Lease","plural":"leases","namespaced":true});
