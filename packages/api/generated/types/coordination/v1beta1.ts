// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1beta1.types.ts';
export type * from './v1beta1.types.ts';

export type LeaseCandidate = types.LeaseCandidate;
export const LeaseCandidate = kind<LeaseCandidate>({"group":"coordination.k8s.io","version":"v1beta1","kind":"LeaseCandidate","plural":"leasecandidates","namespaced":true});
