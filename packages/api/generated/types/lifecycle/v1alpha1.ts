// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1alpha1.types.ts';
export type * from './v1alpha1.types.ts';

export type EvictionRequest = types.EvictionRequest;
export const EvictionRequest = kind<EvictionRequest>({"group":"lifecycle.k8s.io","version":"v1alpha1","kind":"EvictionRequest","plural":"evictionrequests","namespaced":true});
export type Eviction = types.Eviction;
export const Eviction = kind<Eviction>({"group":"lifecycle.k8s.io","version":"v1alpha1","kind":"Eviction","plural":"evictions","namespaced":true});
