// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type APIService = types.APIService;
export const APIService = kind<APIService>({"group":"apiregistration.k8s.io","version":"v1","kind":"APIService","plural":"apiservices","namespaced":false});
