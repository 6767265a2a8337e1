// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1alpha2.types.ts';
export type * from './v1alpha2.types.ts';

export type LeaseCandidate = types.LeaseCandidate;
export const LeaseCandidate = kind<LeaseCandidate>({"group":"coordination.k8s.io","version":"v1alpha2","kind":"LeaseCandidate","plural":"leasecandidates","namespaced":true});
