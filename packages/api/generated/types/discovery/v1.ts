// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type EndpointSlice = types.EndpointSlice;
export const EndpointSlice = kind<EndpointSlice>({"group":"discovery.k8s.io","version":"v1","kind":"EndpointSlice","plural":"endpointslices","namespaced":true});
