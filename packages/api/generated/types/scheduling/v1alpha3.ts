// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1alpha3.types.ts';
export type * from './v1alpha3.types.ts';

export type CompositePodGroup = types.CompositePodGroup;
export const CompositePodGroup = kind<CompositePodGroup>({"group":"scheduling.k8s.io","version":"v1alpha3","kind":"CompositePodGroup","plural":"compositepodgroups","namespaced":true});
export type PodGroup = types.PodGroup;
export const PodGroup = kind<PodGroup>({"group":"scheduling.k8s.io","version":"v1alpha3","kind":"PodGroup","plural":"podgroups","namespaced":true});
export type Workload = types.Workload;
export const Workload = kind<Workload>({"group":"scheduling.k8s.io","version":"v1alpha3","kind":"Workload","plural":"workloads","namespaced":true});
