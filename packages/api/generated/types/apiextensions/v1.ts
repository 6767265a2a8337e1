// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type CustomResourceDefinition = types.CustomResourceDefinition;
export const CustomResourceDefinition = kind<CustomResourceDefinition>({"group":"apiextensions.k8s.io","version":"v1","kind":"CustomResourceDefinition","plural":"customresourcedefinitions","namespaced":false});
