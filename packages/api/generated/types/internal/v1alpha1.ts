// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1alpha1.types.ts';
export type * from './v1alpha1.types.ts';

export type StorageVersion = types.StorageVersion;
export const StorageVersion = kind<StorageVersion>({"group":"internal.apiserver.k8s.io","version":"v1alpha1","kind":"StorageVersion","plural":"storageversions","namespaced":false});
