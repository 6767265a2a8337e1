// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1beta1.types.ts';
export type * from './v1beta1.types.ts';

export type PodGroup = types.PodGroup;
export const PodGroup = kind<PodGroup>({"group":"scheduling.k8s.io","version":"v1beta1","kind":"PodGroup","plural":"podgroups","namespaced":true});
export type Workload = types.Workload;
export const Workload = kind<Workload>({"group":"scheduling.k8s.io","version":"v1beta1","kind":"Workload","plural":"workloads","namespaced":true});
